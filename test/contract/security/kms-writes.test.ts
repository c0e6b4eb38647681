import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Answer, outcome, text } from '../../support/client.ts';
import { documentsOf } from '../../support/firestore.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

/**
 * A process that may make eight KMS writes per minute: at most four at once, and at most two at once for one tenant.
 */
let service: SecondService;
beforeEach(async () => {
  service = await startSecondService(stack, { ...signInSettings(stack), KMS_WRITES_PER_MINUTE: '8' });
});
afterEach(() => service.stop());

/** Makes a tenant that changes its keys through the limited process. */
async function makeLimitedTenant() {
  const tenant = await makeTenant(stack);
  const [api, console] = [new Client(service, tenant.api.token), new Client(service, tenant.console.token)];
  const keyOf = async (id: string) => read(keyObject, await tenant.api.send('GET', `/v1/keys/${id}`));
  return {
    createKey: tenant.createKey,
    api: tenant.api,
    keyOf,
    create: (tier: string, name: string = randomUUID()) => api.send('POST', '/v1/keys', { name, tier }),
    rotate: (id: string) => api.send('POST', `/v1/keys/${id}/rotate`),
    destroy: (id: string) => console.send('POST', `/v1/keys/${id}/destroy`),
  };
}

test('key changes beyond a tenant’s share of KMS writes are refused before they change anything, but another tenant’s key changes succeed', async () => {
  const { createKey, keyOf, create, rotate, destroy } = await makeLimitedTenant();
  const [rotated, doomed] = [await createKey('software'), await createKey('hsm')];
  const wrapped = await createKey('wrapped');
  expect(outcome(await rotate(rotated))).toBe('200');
  const refused = await rotate(rotated);
  expect(outcome(refused)).toBe('503 unavailable');
  expect(text(refused, 'message')).toBe('this tenant made too many key changes in the last minute');
  expect((await keyOf(rotated)).primary_version).toBe(2);
  expect(await kmsVersionStates(stack, rotated)).toEqual(['ENABLED', 'ENABLED']);
  expect(outcome(await create('software'))).toBe('503 unavailable');
  expect(outcome(await destroy(doomed))).toBe('503 unavailable');
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
  const { create, api } = await makeLimitedTenant();
  const name = randomUUID();
  const outcomes: string[] = [];
  for (let time = 1; time <= 4; time++) outcomes.push(outcome(await create('software', `${name} ${time}`)));
  expect(outcomes.at(-1)).toBe('503 unavailable');
  const stored = [...(await documentsOf(stack, 'keys')).values()].filter((key) => key.includes(name));
  expect(stored).toHaveLength(outcomes.filter((one) => one === '201').length);
  expect(outcome(await api.send('POST', '/v1/keys', { name: `${name} 4`, tier: 'wrapped' }))).toBe('201');
});
