import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, inject, test } from 'vitest';
import { encryptRoute } from '../../functions/crypto/encrypt.ts';
import { type KeyId, makeId, parseId } from '../../shared/base/ids.ts';
import type { Env } from '../../shared/env.ts';
import { KEYS } from '../../shared/keys/key.ts';
import { type MeterReader, readMeter, readPaidMeter } from '../../shared/metering/meter.ts';
import { asRequest, readSent } from '../shared/http/exchange.ts';
import { setSubscription } from '../support/billing.ts';
import { startInProcess } from '../support/in-process.ts';
import { makeTenant, type Tier } from '../support/tenant.ts';

const stack = inject('stack');

let env: Env;
beforeAll(() => {
  ({ env } = startInProcess(stack));
});

async function aKey(tier: Tier) {
  const tenant = await makeTenant(stack);
  const id = parseId<KeyId>(await tenant.createKey(tier));
  if (id === undefined) throw new Error('the key has no id');
  return { tenant, id };
}

/** What an operation asks for before and after its key is there: whether it is paid for, and in how many reads one after another. */
async function ask(reader: MeterReader, id: KeyId): Promise<[paidFor: boolean, reads: number]> {
  const before = env.trips.counts.read;
  const readRest = reader(env, id);
  const key = await env.store.find(KEYS, id);
  if (key === undefined) throw new Error('there is no such key');
  const paidFor = await readRest(key).paidFor;
  return [paidFor, env.trips.counts.read - before];
}

test.each([
  ['without a credential', undefined],
  ['with a malformed one', 'Bearer esk_short'],
])('nothing is read for a request %s', async (_, authorization) => {
  const before = env.trips.counts.read;
  const answer = await readSent({ headers: authorization === undefined ? {} : { authorization } }, async (message) => {
    const refused = encryptRoute.respond(env, asRequest(message, { pathId: makeId() }));
    return refused.catch((error: unknown) => error);
  });
  expect(answer).toMatchObject({ code: 'unauthorized' });
  await pause(20);
  expect(env.trips.counts.read).toBe(before);
});

test('the standing is read after a paid key the first time, and beside it from then on', async () => {
  const { tenant, id } = await aKey('wrapped');
  expect(await ask(readPaidMeter, id)).toEqual([true, 2]);
  expect(await ask(readPaidMeter, id)).toEqual([true, 1]);
  await setSubscription(stack, tenant.id, 'unpaid');
  expect(await ask(readPaidMeter, id)).toEqual([false, 1]);
});

test('what opens ciphertext asks for no standing', async () => {
  const { tenant, id } = await aKey('software');
  await setSubscription(stack, tenant.id, 'unpaid');
  for (let times = 0; times < 2; times++) expect(await ask(readMeter, id)).toEqual([true, 1]);
});
