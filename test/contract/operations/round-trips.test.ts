import { afterEach, beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { decryptRoute } from '../../../functions/crypto/decrypt.ts';
import { encryptRoute } from '../../../functions/crypto/encrypt.ts';
import { rotateKeyRoute } from '../../../functions/keys/rotate-key.ts';
import { countRoundTrips } from '../../../functions/local/round-trips.ts';
import { type KeyId, makeId, parseId } from '../../../shared/base/ids.ts';
import type { MeteredServices } from '../../../shared/http/operate.ts';
import type { Route } from '../../../shared/http/route.ts';
import { COMMITS } from '../../../shared/metering/group-commit.ts';
import { asRequest, readSent } from '../../shared/http/exchange.ts';
import { setSubscription } from '../../support/billing.ts';
import { patchDocument } from '../../support/firestore.ts';
import { type InProcess, openInProcess } from '../../support/in-process.ts';
import { makeTenant, type Tier } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = inject('stack');
const trips = countRoundTrips();
let services: InProcess['services'];
beforeAll(() => {
  services = { ...openInProcess(stack, allConfigured(stack)).services, startStopwatch: () => () => 0 };
});

// A late read or commit is sent a second time, and an old read of a key is repeated, so that the number of round trips
// would depend on the machine's speed.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function aKey(tier: Tier) {
  const tenant = await makeTenant(stack);
  const id = parseId<KeyId>(await tenant.createKey(tier));
  if (id === undefined) throw new Error('the key has no id');
  return { tenant, id };
}

/** Sends an operation to this process. Returns its status or error code, and the number of reads in sequence. */
async function readsOf(
  route: Route<MeteredServices>,
  token: string | undefined,
  id: KeyId,
  body: object,
): Promise<[outcome: unknown, reads: number]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const before = trips.read;
  const outcome = await readSent({ headers, body: [JSON.stringify(body)] }, async (message) => {
    const answered = route.respond(services, asRequest(message, { pathId: id }));
    return answered.then(
      ({ status }) => status,
      (error: unknown) => Object(error).code,
    );
  });
  return [outcome, trips.read - before];
}

const PLAIN = { plaintext: 'AAAA' };

test.each([
  ['without a credential', undefined],
  ['with a malformed credential', 'Bearer esk_short'],
])('the store is not read for a request %s', async (_, authorization) => {
  const read = vi.spyOn(services.store, 'read');
  onTestFinished(() => read.mockRestore());
  const answer = await readSent({ headers: authorization === undefined ? {} : { authorization } }, async (message) => {
    const refused = encryptRoute.respond(services, asRequest(message, { pathId: makeId() }));
    return refused.catch((error: unknown) => error);
  });
  expect(answer).toMatchObject({ code: 'unauthorized' });
  expect(read).not.toHaveBeenCalled();
});

test('the first operation on a paid key reads the API key and the key, then the billing standing, and later operations read all three at once', async () => {
  const { tenant, id } = await aKey('wrapped');
  const { token } = tenant.api;
  expect(await readsOf(encryptRoute, token, id, PLAIN)).toEqual([200, 2]);
  expect(await readsOf(encryptRoute, token, id, PLAIN)).toEqual([200, 1]);
  await setSubscription(stack, tenant.id, 'unpaid');
  expect(await readsOf(encryptRoute, token, id, PLAIN)).toEqual(['billing_required', 1]);
});

test('operations that make no new ciphertext do not check the billing standing', async () => {
  const { tenant, id } = await aKey('wrapped');
  await setSubscription(stack, tenant.id, 'unpaid');
  for (let times = 0; times < 2; times++) {
    expect(await readsOf(decryptRoute, tenant.api.token, id, { ciphertext: 'AAAA' })).toEqual([
      'invalid_ciphertext',
      1,
    ]);
  }
});

test('an ID token of the issuer is refused after the same reads, whether the API key exists or not', async () => {
  const { tenant, id } = await aKey('wrapped');
  const federations = [{ issuer: workloadIssuerOf(portsOf(stack)), claims: { sub: 'job' } }];
  const mint = async (body: object = {}) => (await tenant.mint({ allowed_actions: ['encrypt'], ...body })).id;
  const [matched, unmatched, plain] = [await mint({ federations }), await mint({ federations }), await mint()];
  const [revoked, expired] = [await mint({ federations }), await mint({ federations })];
  await tenant.console.send('DELETE', `/v1/api-keys/${revoked}`);
  await patchDocument(stack, `apiKeys/${expired}`, 'expires_at', { timestampValue: '2020-01-01T00:00:00Z' });
  const use = async (apiKeyId: string, sub: string) =>
    readsOf(encryptRoute, await workloadToken(stack, apiKeyId, { sub }), id, PLAIN);
  expect(await use(matched, 'job')).toEqual([200, expect.any(Number)]);
  for (const [apiKeyId, sub] of [
    [makeId(), 'job'],
    [unmatched, 'stranger'],
    [plain, 'job'],
    [revoked, 'job'],
    [expired, 'job'],
  ] as const) {
    expect(await use(apiKeyId, sub)).toEqual(['unauthorized', 1]);
  }
});

test('the events of refused requests share commits, so that a tenant never has more than four at a time', async () => {
  const { tenant, id: pathId } = await aKey('software');
  const { client } = await tenant.mint({ allowed_actions: ['encrypt'] });
  const { write } = services.store;
  let open = 0;
  let most = 0;
  const spy = vi.spyOn(services.store, 'write').mockImplementation(async (fill) => {
    most = Math.max(most, ++open);
    await write.call(services.store, fill).finally(() => open--);
  });
  onTestFinished(() => spy.mockRestore());
  const refused = Array.from({ length: 40 }, () =>
    readSent({ headers: { authorization: `Bearer ${client.token}` } }, async (message) =>
      rotateKeyRoute.respond(services, asRequest(message, { pathId })).catch((error: unknown) => Object(error).code),
    ),
  );
  expect(await Promise.all(refused)).toEqual(Array(40).fill('action_not_allowed'));
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(COMMITS.inFlight);
});
