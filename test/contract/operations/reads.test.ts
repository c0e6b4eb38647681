import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, inject, test } from 'vitest';
import { encryptRoute } from '../../../functions/crypto/encrypt.ts';
import { countRoundTrips } from '../../../functions/local/round-trips.ts';
import { type KeyId, makeId, parseId } from '../../../shared/base/ids.ts';
import { KEYS } from '../../../shared/keys/key.ts';
import { asRequest, readSent } from '../../shared/http/exchange.ts';
import { setSubscription } from '../../support/billing.ts';
import { type InProcess, openInProcess } from '../../support/in-process.ts';
import { allConfigured } from '../../support/second-service.ts';
import { makeTenant, type Tier } from '../../support/tenant.ts';

const stack = inject('stack');

const trips = countRoundTrips();
let services: InProcess['services'];
beforeAll(() => {
  ({ services } = openInProcess(stack, allConfigured(stack)));
});

async function aKey(tier: Tier) {
  const tenant = await makeTenant(stack);
  const id = parseId<KeyId>(await tenant.createKey(tier));
  if (id === undefined) throw new Error('the key has no id');
  return { tenant, id };
}

/** Reads what an operation needs. Returns whether billing allows the operation, and the number of sequential reads. */
async function readForOperation(id: KeyId, makesCiphertext: boolean): Promise<[paidFor: boolean, reads: number]> {
  const before = trips.read;
  const found = services.store.find(KEYS, id);
  const paidFor = await services.meters.read({ likelyId: id, found, makesCiphertext }).paidFor;
  await found;
  return [paidFor, trips.read - before];
}

test.each([
  ['without a credential', undefined],
  ['with a malformed credential', 'Bearer esk_short'],
])('the store is not read for a request %s', async (_, authorization) => {
  const before = trips.read;
  const answer = await readSent({ headers: authorization === undefined ? {} : { authorization } }, async (message) => {
    const refused = encryptRoute.respond(services, asRequest(message, { pathId: makeId() }));
    return refused.catch((error: unknown) => error);
  });
  expect(answer).toMatchObject({ code: 'unauthorized' });
  await pause(20);
  expect(trips.read).toBe(before);
});

test('the first operation on a paid key reads the key and then the billing standing, and later operations read both in parallel', async () => {
  const { tenant, id } = await aKey('wrapped');
  expect(await readForOperation(id, true)).toEqual([true, 2]);
  expect(await readForOperation(id, true)).toEqual([true, 1]);
  await setSubscription(stack, tenant.id, 'unpaid');
  expect(await readForOperation(id, true)).toEqual([false, 1]);
});

test('operations that make no new ciphertext do not check the billing standing', async () => {
  const { tenant, id } = await aKey('software');
  await setSubscription(stack, tenant.id, 'unpaid');
  for (let times = 0; times < 2; times++) expect(await readForOperation(id, false)).toEqual([true, 1]);
});
