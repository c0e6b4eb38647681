import { atLimit } from '../../test/support/counts.ts';
import { operation } from '../../test/support/operation.ts';
import { makeTenant, named, type Tenant } from '../../test/support/tenant.ts';

const taken = async ({ createKey }: Tenant, tier: 'wrapped' | 'free') => {
  const { name } = named();
  await createKey(tier, name);
  return { id: name };
};

for (const method of ['POST', 'PUT']) {
  operation({
    call: `${method} /v1/transit/keys/{name}`,
    transit: true,
    credential: 'api_key',
    action: 'create',
    body: 'optional',
    good: '200',
    event: 'create_key',
    dependencies: ['firestore', 'pdp', 'kms'],
    request: (_, tier) => ({ id: named().name, body: { tier } }),
    refuses: [
      ['400 invalid_request', { body: { tier: 5 } }],
      ['400 invalid_name', { id: '\u0007' }],
      ['400 invalid_tier', { body: { tier: 'gold' } }],
      [
        '402 billing_required',
        async ({ console: { stack } }) => ({ as: (await makeTenant(stack, 'none')).api, id: named().name }),
      ],
      ['409 key_exists', async (tenant) => ({ ...(await taken(tenant, 'free')), body: { tier: 'wrapped' } })],
      ['409 free_key_exists', async () => ({ body: { tier: 'free' } })],
      ['409 limit_reached', atLimit('keys', 10_000, 'api')],
    ],
  });
}
