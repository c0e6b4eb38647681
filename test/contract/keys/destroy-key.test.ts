import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

const START = {
  'an active key': async (_tenant: Tenant, _path: string) => undefined,
  'a key pending deletion': (tenant: Tenant, path: string) => tenant.api.send('DELETE', path),
} as const;

describe.each(Object.entries(START))('destruction of %s', (_from, prepare) => {
  test('destroying a key frees its name at once', async () => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('software', 'orders');
    const other = await tenant.createKey('wrapped', 'invoices');
    await prepare(tenant, `/v1/keys/${id}`);
    expect(outcome(await tenant.api.send('PATCH', `/v1/keys/${other}`, { name: 'orders' }))).toBe('409 key_exists');
    await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    const created = await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'software' });
    expect(read(keyObject, created)).toMatchObject({ name: 'orders', state: 'active', primary_version: 1 });
    expect(text(created, 'id')).not.toBe(id);
  });

  test.each(['software', 'hsm'] as const)('destroying a %s key destroys all its versions in the KMS', async (tier) => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey(tier);
    for (let rotation = 1; rotation <= 3; rotation++) await tenant.api.send('POST', `/v1/keys/${id}/rotate`);
    await prepare(tenant, `/v1/keys/${id}`);
    await tenant.console.send('POST', `/v1/keys/${id}/destroy`);
    expect(await kmsVersionStates(stack, id)).toEqual(Array(4).fill('DESTROY_SCHEDULED'));
  });
});
