import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

/**
 * A process that may make eight KMS writes per minute: at most four at once, and at most two at once for one tenant.
 */
let service: SecondService;
beforeAll(async () => {
  service = await startSecondService(stack, { ...signInSettings(stack), KMS_WRITES_PER_MINUTE: '8' });
});
afterAll(() => service.stop());

/** Makes a tenant that changes its keys through the limited process. */
async function makeLimitedTenant() {
  const tenant = await makeTenant(stack);
  const [api, console] = [new Client(service, tenant.api.token), new Client(service, tenant.console.token)];
  const keyOf = async (id: string) => read(keyObject, await tenant.api.send('GET', `/v1/keys/${id}`));
  return {
    createKey: tenant.createKey,
    keyOf,
    create: (tier: string) => api.send('POST', '/v1/keys', { name: randomUUID(), tier }),
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
