import { beforeAll, expect, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { outcome } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { holdRateLimit, readClock, setClock } from '../../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = ownStack();
const BURST = 100;
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

async function federated() {
  const issuer = workloadIssuerOf(portsOf(stack));
  const { id, client } = await tenant.mint({ federations: [{ issuer, claims: { sub: 'job' } }] });
  const as = async (sub: string) => new Client(stack, await workloadToken(stack, id, { sub }));
  return { client, job: await as('job'), stranger: await as('stranger') };
}

const call = async (client: Client) => outcome(await client.send('GET', '/v1/caller'));
const times = (count: number, client: Client) => Promise.all(Array.from({ length: count }, () => call(client)));

test('wrong secrets use up the rate limit of the token, not that of the workload', async () => {
  const { client, job } = await federated();
  await holdRateLimit(stack, 0);
  const wrong = new Client(stack, `${client.token?.slice(0, -4)}AAAA`);
  expect(await times(BURST, wrong)).not.toContain('200');
  expect(await call(client)).toBe('429 rate_limited');
  expect(await times(BURST, job)).toEqual(Array(BURST).fill('200'));
  expect(await call(job)).toBe('429 rate_limited');
});

test('a workload uses up its own rate limit, not that of the token', async () => {
  const { client, job } = await federated();
  await holdRateLimit(stack, 0);
  await times(BURST, job);
  expect(await call(job)).toBe('429 rate_limited');
  expect(await call(client)).toBe('200');
});

test('ID tokens that no federation matches use up no rate limit', async () => {
  const { client, job, stranger } = await federated();
  await holdRateLimit(stack, 0);
  expect(new Set(await times(2 * BURST, stranger))).toEqual(new Set(['401 unauthorized']));
  expect(await times(BURST, job)).toEqual(Array(BURST).fill('200'));
  expect(await call(client)).toBe('200');
});

test('the token of an API key without a token is refused before rate limit and secret check', async () => {
  const { body } = await tenant.console.send('POST', '/v1/api-keys', { name: 'ci', without_token: true });
  const { id } = Object(body);
  const bytes = Buffer.from(String(id).replaceAll('-', ''), 'hex');
  const bits = [...bytes]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .padEnd(130, '0');
  const prefix = (bits.match(/.{5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)])
    .join('');
  const guess = new Client(stack, `esk_${prefix}_${'A'.repeat(43)}`);
  await holdRateLimit(stack, 0);
  expect(new Set(await times(2 * BURST, guess))).toEqual(new Set(['401 unauthorized']));
});

test('an ID token is refused from its expiry on, by the clock of the service', async () => {
  const { job } = await federated();
  expect(await call(job)).toBe('200');
  const now = Date.parse(await readClock(stack));
  await setClock(stack, new Date(now + 601_000).toISOString());
  expect(await call(job)).toBe('401 unauthorized');
});
