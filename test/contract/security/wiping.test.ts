import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { rowNotWritten } from '../../../shared/errors.ts';
import { outcome } from '../../support/client.ts';
import { openInProcess, serveInProcess } from '../../support/in-process.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

/* The service runs in this process, so the test sees its buffers: `software` plaintexts pass through a KMS call. */
const stack = inject('stack');
const { services } = openInProcess(stack);
const toKms = vi.spyOn(services.kms, 'encrypt');
const fromKms = vi.spyOn(services.kms, 'decrypt');
const recording = vi.spyOn(services.commits, 'record');

let server: Awaited<ReturnType<typeof serveInProcess>>;
let client: Client;
let key: string;
let bodies: Awaited<ReturnType<typeof bodiesFor>>;

beforeAll(async () => {
  const tenant = await makeTenant(stack);
  server = await serveInProcess({ ...services, log: { write: () => undefined } }, stack);
  client = new Client(server, tenant.api.token);
  key = await tenant.createKey('software');
  bodies = await bodiesFor(tenant.api, key);
});
afterAll(() => server[Symbol.asyncDispose]());
function forgetPlaintexts(): void {
  toKms.mockClear();
  fromKms.mockClear();
}
afterEach(forgetPlaintexts);

/** Returns the current bytes of all plaintext buffers that were sent to the KMS or received from it. */
function plaintexts(): Uint8Array[] {
  const opened = fromKms.mock.settledResults.flatMap(({ type, value }) =>
    type === 'fulfilled' && value !== undefined ? [value.plaintext] : [],
  );
  return [...toKms.mock.calls.map(([, plaintext]) => plaintext), ...opened];
}

test.each(METERED)('plaintext buffers of %s are wiped after a success and after a failure', async (operation) => {
  for (const expected of ['200', '500 internal_error']) {
    if (expected !== '200') recording.mockRejectedValueOnce(rowNotWritten(new Error('no rows')));
    expect(outcome(await operate(client, key, operation, bodies[operation]))).toBe(expected);
    expect(plaintexts().map(({ length }) => length)).toContain(32);
    for (const bytes of plaintexts()) expect(Buffer.from(bytes)).toEqual(Buffer.alloc(bytes.length));
    forgetPlaintexts();
  }
});

test('the buffer of a data key that wrap generates is wiped', async () => {
  expect(outcome(await operate(client, key, 'wrap', {}))).toBe('200');
  expect(plaintexts().map((bytes) => Buffer.from(bytes))).toEqual([Buffer.alloc(32)]);
});

test('the buffer of a value that unwrap refuses, because it is not a data key, is wiped', async () => {
  const encrypted = await operate(client, key, 'encrypt', { plaintext: 'AAECAw==' });
  const wrapped = Object(encrypted.body).ciphertext;
  toKms.mockClear();
  expect(outcome(await operate(client, key, 'unwrap', { wrapped }))).toBe('400 invalid_ciphertext');
  expect(plaintexts().map((bytes) => Buffer.from(bytes))).toEqual([Buffer.alloc(4)]);
});
