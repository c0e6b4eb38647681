import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';
import { KmsWrites } from '../../../shared/kms/kms-writes.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { documentsOf } from '../../support/firestore.ts';
import { type InProcess, openInProcess, serveInProcess } from '../../support/in-process.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { makeManualTime } from '../../support/manual-time.ts';
import { keyObject, read } from '../../support/objects.ts';
import { operate } from '../../support/operations.ts';
import { signInSettings } from '../../support/second-service.ts';
import { Client, makeTenant, type Tier } from '../../support/tenant.ts';
import { codesOf, transit } from '../../support/transit.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const PLAIN = { plaintext: 'AAECAw==' };
const REFUSED = '503 unavailable';

/** Serves routes with these parts and without a rate limit, until the test ends. */
async function serveWith(parts: Partial<InProcess['services']>) {
  const { services } = openInProcess(stack, { TRANSIT: 'on', ...signInSettings(stack) });
  const service = await serveInProcess({ ...services, ...parts, rateLimit: { take: () => true } }, stack);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

/** Serves routes with a KMS limit: half for one tenant, five sixths for own KMS keys. The test moves its clock. */
async function serveLimited(perSecond: number) {
  const time = makeManualTime();
  const kmsOperations = new KmsOperations(perSecond, time);
  const asked = vi.spyOn(kmsOperations, 'takeForOwnKey');
  /** Waits until requests have asked for this many KMS operations in all. */
  const untilAsked = (count: number) => expect.poll(() => asked.mock.calls.length).toBe(count);
  const limited = await serveWith({ kmsOperations });

  /** Makes a tenant with a key, which the tenant uses through the limited server. */
  const withKey = async (tier: Tier) => {
    const { api, createKey } = await makeTenant(stack);
    const name = randomUUID();
    const id = await createKey(tier, name);
    const client = new Client(limited, api.token);
    const encrypt = () => operate(client, id, 'encrypt', PLAIN);
    const decryptGarbage = () => operate(client, id, 'decrypt', { ciphertext: 'AAAA' });
    return { api, client, id, name, encrypt, decryptGarbage };
  };
  return { time, untilAsked, withKey };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const countOf = async (client: Client, id: string, event: string) =>
  inWords(await eventsOfKey(client, id)).filter((one) => one === event).length;
const refusalsAmong = (answers: readonly Answer[]) => answers.filter((answer) => outcome(answer) === REFUSED);

test('decryptions beyond a tenant’s share of KMS operations fail with 503, and are recorded but not counted', async () => {
  const { time, untilAsked, withKey } = await serveLimited(10);
  const [overLimit, otherTenant] = [await withKey('software'), await withKey('software')];
  const flood = times(80, overLimit.decryptGarbage);
  await untilAsked(80);
  await time.move(250);
  // The tenant's share is five operations, and one more while the others wait.
  const refused = refusalsAmong(await Promise.all(flood));
  expect(refused).toHaveLength(74);
  expect(outcome(await otherTenant.encrypt())).toBe('200');
  const [first] = refused;
  expect(first && text(first, 'message')).toBe('this tenant has used up its share of kms operations for now');
  expect(await countOf(overLimit.api, overLimit.id, 'decrypt unavailable')).toBe(74);
  expect((await lineOf(overLimit.api, overLimit.id)).ops).toBe(0);
});

test('if tenants use up all KMS operations for their own KMS keys, the reserved KMS operations for data keys remain', async () => {
  const { time, untilAsked, withKey } = await serveLimited(10);
  const [one, other, user] = [await withKey('software'), await withKey('hsm'), await withKey('wrapped')];
  const floods = [times(40, one.decryptGarbage), times(40, other.decryptGarbage)];
  await untilAsked(80);
  expect(outcome(await user.encrypt())).toBe('200');
  await time.move(250);
  for (const flood of floods) expect(refusalsAmong(await Promise.all(flood)).length).toBeGreaterThan(0);
});

test('in a Transit batch, only the items beyond the tenant’s share of KMS operations fail, and they are recorded but not counted', async () => {
  const { time, untilAsked, withKey } = await serveLimited(10);
  const { api, client, id, name } = await withKey('software');
  const batch = transit(client, `POST /encrypt/${name}`, { batch_input: Array(60).fill(PLAIN) });
  await untilAsked(60);
  await time.move(250);
  expect(codesOf(await batch).sort()).toEqual([...Array(6).fill('ok'), ...Array(54).fill('unavailable')]);
  expect((await lineOf(api, id)).ops).toBe(6);
  expect(await countOf(api, id, 'encrypt unavailable')).toBe(54);
});

test('two tenants that send batches of garbage through Transit do not take the KMS operations that a third tenant needs', async () => {
  const { time, untilAsked, withKey } = await serveLimited(30);
  const [attackers, third] = [[await withKey('software'), await withKey('software')], await withKey('software')];
  const garbage = { batch_input: Array(100).fill({ ciphertext: `vault:v1:${Buffer.alloc(64).toString('base64')}` }) };
  const codes: string[] = [];
  for (let round = 1; round <= 10; round++) {
    const before = 201 * (round - 1);
    const batches = attackers.map(({ client, name }) => transit(client, `POST /decrypt/${name}`, garbage));
    await untilAsked(before + 200);
    const encrypted = third.encrypt();
    await untilAsked(before + 201);
    // In this time, the tenants’ keys together get one more operation.
    await time.move(40);
    expect(outcome(await encrypted)).toBe('200');
    await time.move(250);
    for (const batch of batches) codes.push(...codesOf(await batch));
  }
  expect(new Set(codes)).toEqual(new Set(['invalid_ciphertext', 'unavailable']));
});

/** Serves routes with four KMS writes, two of them for one tenant. No more become free. Returns a tenant maker. */
async function limitWrites() {
  const service = await serveWith({ kmsWrites: new KmsWrites(8, makeManualTime()) });
  return async () => {
    const tenant = await makeTenant(stack);
    const [api, console] = [new Client(service, tenant.api.token), new Client(service, tenant.console.token)];
    const keyOf = async (id: string) => read(keyObject, await tenant.api.send('GET', `/v1/keys/${id}`));
    return {
      createKey: tenant.createKey,
      ...{ id: tenant.id, api: tenant.api },
      keyOf,
      create: (tier: string, name: string = randomUUID()) => api.send('POST', '/v1/keys', { name, tier }),
      rotate: (id: string) => api.send('POST', `/v1/keys/${id}/rotate`),
      destroy: (id: string) => console.send('POST', `/v1/keys/${id}/destroy`),
    };
  };
}

test('KMS_WRITES_PER_MINUTE limits the KMS writes of a process', async () => {
  const { kmsWrites } = openInProcess(stack, { KMS_WRITES_PER_MINUTE: '1' }).services;
  expect(await Promise.all([kmsWrites.takeInTime(0), kmsWrites.takeInTime(0)])).toEqual([true, false]);
});

test('key changes beyond a tenant’s share of KMS writes are refused before they change anything, but another tenant’s key changes succeed', async () => {
  const makeLimitedTenant = await limitWrites();
  const { createKey, keyOf, create, rotate, destroy } = await makeLimitedTenant();
  const [rotated, doomed] = [await createKey('software'), await createKey('hsm')];
  const wrapped = await createKey('wrapped');
  expect(outcome(await rotate(rotated))).toBe('200');
  const refused = await rotate(rotated);
  expect(outcome(refused)).toBe(REFUSED);
  expect(text(refused, 'message')).toBe('this tenant made too many key changes in the last minute');
  expect((await keyOf(rotated)).primary_version).toBe(2);
  expect(await kmsVersionStates(stack, rotated)).toEqual(['ENABLED', 'ENABLED']);
  expect(outcome(await create('software'))).toBe(REFUSED);
  expect(outcome(await destroy(doomed))).toBe(REFUSED);
  expect((await keyOf(doomed)).state).toBe('active');
  expect(await kmsVersionStates(stack, doomed)).toEqual(['ENABLED']);
  // Rotating a `wrapped` key needs no KMS write.
  for (let time = 1; time <= 5; time++) expect(outcome(await rotate(wrapped))).toBe('200');
  const other = await makeLimitedTenant();
  const created = await other.create('hsm');
  expect(outcome(created)).toBe('201');
  expect(outcome(await other.destroy(text(created, 'id')))).toBe('204');
});

test('key changes that are refused before the KMS is called take no KMS writes', async () => {
  const makeLimitedTenant = await limitWrites();
  const refusals: Promise<Answer>[] = [];
  for (let tenant = 1; tenant <= 2; tenant++) {
    const { api, createKey, create, rotate, destroy } = await makeLimitedTenant();
    const [taken, pending, destroyed] = [randomUUID(), await createKey('software'), await createKey('hsm')];
    await createKey('wrapped', taken);
    await api.send('DELETE', `/v1/keys/${pending}`);
    for (let time = 1; time <= 4; time++) refusals.push(create('software', taken), rotate(pending));
    if (tenant === 2) continue;
    // Only the first destruction of the key is a change.
    const destructions = await Promise.all(Array.from({ length: 4 }, () => destroy(destroyed)));
    expect(destructions.map(outcome).sort()).toEqual(['204', ...Array(3).fill('404 not_found')]);
  }
  const outcomes = new Set((await Promise.all(refusals)).map(outcome));
  expect(outcomes).toEqual(new Set(['409 key_exists', '409 key_pending_deletion']));
  const third = await makeLimitedTenant();
  const created = [await third.create('software'), await third.create('hsm')];
  expect(created.map(outcome)).toEqual(['201', '201']);
});

test('a creation that is refused for lack of KMS writes leaves nothing behind, so no later run has to destroy a version', async () => {
  const { create, api, id } = await (await limitWrites())();
  const name = randomUUID();
  const outcomes: string[] = [];
  for (let time = 1; time <= 4; time++) outcomes.push(outcome(await create('software', `${name} ${time}`)));
  expect(outcomes.at(-1)).toBe(REFUSED);
  const stored = [...(await documentsOf(stack, 'keys')).values()].filter((key) => key.includes(name));
  const created = outcomes.filter((one) => one === '201').length;
  expect(stored).toHaveLength(created);
  expect(await countsOf(stack, id)).toMatchObject({ keys: created, paid_keys_created: created });
  expect(outcome(await api.send('POST', '/v1/keys', { name: `${name} 4`, tier: 'wrapped' }))).toBe('201');
});
