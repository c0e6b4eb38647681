import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { startFaultProxy } from '../../../emulators/stack/faults.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { sendHalf } from '../../support/raw.ts';
import { type SecondService, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const SENT = 300;
/** The number of requests that one API key may have in flight. */
const LIMIT = 256;
const REFUSED = 'too many requests in progress for this api key';

type Kms = Awaited<ReturnType<typeof startFaultProxy>>;
let kms: Kms;
/** A process without a rate limit. It only limits how many requests are in flight. */
let service: SecondService;
beforeAll(async () => {
  kms = await startFaultProxy({ host: '127.0.0.1', port: portsOf(stack).kms });
  service = await startSecondService(stack, { KMS_EMULATOR_HOST: `127.0.0.1:${kms.port}` });
});
afterAll(async () => {
  await service.stop();
  await kms.stop();
});

const at = ({ token }: Client) => new Client(service, token);

/** Returns a list to which each answer is added when it arrives. */
function collect(answers: readonly Promise<Answer>[]): Answer[] {
  const collected: Answer[] = [];
  for (const answer of answers) answer.then((one) => collected.push(one)).catch(() => undefined);
  return collected;
}

test('if one API key sends many slow bodies, only its own requests are refused, and requests with other API keys succeed', async () => {
  const busy = await makeTenant(stack);
  const keyId = await busy.createKey('wrapped');
  const colleague = at((await busy.mint()).client);
  const other = await makeTenant(stack);
  const otherKey = await other.createKey('wrapped');
  expect(outcome(await operate(at(busy.api), keyId, 'wrap', {}))).toBe('200');

  const body = JSON.stringify({ plaintext: 'aGVsbG8=' });
  const path = `/v1/keys/${keyId}/encrypt`;
  const slow = Array.from({ length: SENT }, () => sendHalf(service, 'POST', path, { token: busy.api.token, body }));
  onTestFinished(() => {
    for (const { abandon } of slow) abandon();
  });
  const early = collect(slow.map(({ answer }) => answer));
  await expect.poll(() => early.length, { timeout: 5_000 }).toBe(SENT - LIMIT);
  // Check this first: on a slow machine, the requests with unfinished bodies may time out and no longer count.
  expect(outcome(await at(busy.api).send('GET', '/v1/keys'))).toBe('503 unavailable');
  expect(new Set(early.map((answer) => `${outcome(answer)}: ${text(answer, 'message')}`))).toEqual(
    new Set([`503 unavailable: ${REFUSED}`]),
  );
  expect(outcome(await operate(at(other.api), otherKey, 'wrap', {}))).toBe('200');
  expect(outcome(await operate(colleague, keyId, 'wrap', {}))).toBe('200');

  for (const { finish } of slow) finish();
  const outcomes = (await Promise.all(slow.map(({ answer }) => answer))).map(outcome);
  expect(outcomes.filter((one) => one === '200')).toHaveLength(LIMIT);
  expect(outcome(await operate(at(busy.api), keyId, 'wrap', {}))).toBe('200');
});

test('requests that wait for the KMS count towards the limit of requests in flight per API key', async () => {
  const busy = await makeTenant(stack);
  const keyId = await busy.createKey('software');
  const other = await makeTenant(stack);
  const otherKey = await other.createKey('wrapped');
  for (const [{ api }, id] of [[busy, keyId] as const, [other, otherKey] as const]) {
    expect(outcome(await operate(at(api), id, 'wrap', {}))).toBe('200');
  }
  kms.set({ delay_ms: 60_000 });
  const sent = Array.from({ length: SENT }, () => operate(at(busy.api), keyId, 'wrap', {}));
  const early = collect(sent);
  await expect.poll(() => early.length, { timeout: 8_000 }).toBe(SENT - LIMIT);
  expect(new Set(early.map(outcome))).toEqual(new Set(['503 unavailable']));
  expect(outcome(await operate(at(other.api), otherKey, 'wrap', {}))).toBe('200');
  kms.set(null);
  const outcomes = (await Promise.all(sent)).map(outcome);
  expect(outcomes.filter((one) => one === '200')).toHaveLength(LIMIT);
});
