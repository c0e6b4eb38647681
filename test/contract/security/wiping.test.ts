import { createServer } from 'node:http';
import { afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { makeRouter } from '../../../functions/router.ts';
import { everyRoute } from '../../../functions/routes.ts';
import { readConfig } from '../../../shared/config.ts';
import { loadKms } from '../../../shared/crypto/load-kms.ts';
import { makeEnv } from '../../../shared/env.ts';
import { makeListener } from '../../../shared/http/serve.ts';
import { outcome } from '../../support/client.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { listen, serviceSettings } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

/*
 * The service in the test's own process, so that the bytes can be seen that it holds: on a `software` key every
 * plaintext goes to the KMS or comes from it.
 */
const stack = inject('stack');
const settings = serviceSettings(stack);
// Google's clients read some of theirs from the environment alone.
for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
const { env, hooks } = makeEnv(readConfig(settings), { kms: loadKms });
const toKms = vi.spyOn(env.kms, 'encrypt');
const fromKms = vi.spyOn(env.kms, 'decrypt');
const server = createServer(
  makeListener({ ...env, log: { write: () => undefined } }, makeRouter(everyRoute(env.config))),
);
const port = await listen(server);

let client: Client;
let key: string;
let bodies: Awaited<ReturnType<typeof bodiesFor>>;

beforeAll(async () => {
  const tenant = await makeTenant(stack);
  client = new Client({ ...stack, baseUrl: `http://127.0.0.1:${port}` }, tenant.api.token);
  key = await tenant.createKey('software');
  bodies = await bodiesFor(tenant.api, key);
});
afterEach(() => {
  hooks.auditRowsDown = false;
  toKms.mockClear();
  fromKms.mockClear();
});

/** The plaintexts that went to the KMS or came from it, as they are in memory now. */
function plaintexts(): Uint8Array[] {
  const opened = fromKms.mock.settledResults.flatMap(({ value }) => (value instanceof Uint8Array ? [value] : []));
  return [...toKms.mock.calls.map(([, plaintext]) => plaintext), ...opened];
}

describe.each(METERED)('%s leaves no plaintext data key in the buffers that it held', (operation) => {
  test.each([
    ['after a success', false, '200'],
    ['after a failure', true, '500 internal_error'],
  ])('%s', async (_, auditRowsDown, expected) => {
    hooks.auditRowsDown = auditRowsDown;
    expect(outcome(await operate(client, key, operation, bodies[operation]))).toBe(expected);
    expect(plaintexts().map(({ length }) => length)).toContain(32);
    for (const bytes of plaintexts()) expect(Buffer.from(bytes)).toEqual(Buffer.alloc(bytes.length));
  });
});

test('a data key that wrap makes is wiped, too', async () => {
  expect(outcome(await operate(client, key, 'wrap', {}))).toBe('200');
  expect(plaintexts().map((bytes) => Buffer.from(bytes))).toEqual([Buffer.alloc(32)]);
});

test('a value that is no data key is wiped where unwrap refuses it', async () => {
  const encrypted = await operate(client, key, 'encrypt', { plaintext: 'AAECAw==' });
  const wrapped = Object(encrypted.body).ciphertext;
  toKms.mockClear();
  expect(outcome(await operate(client, key, 'unwrap', { wrapped }))).toBe('400 invalid_ciphertext');
  expect(plaintexts().map((bytes) => Buffer.from(bytes))).toEqual([Buffer.alloc(4)]);
});
