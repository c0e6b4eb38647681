import { text } from '../../test/support/client.ts';
import { makeFrozen, makeFrozenPending } from '../../test/support/deletion.ts';
import { operation } from '../../test/support/operation.ts';
import { named, type Tenant } from '../../test/support/tenant.ts';

const keyNamed = async ({ console }: Tenant, keyId: string) => ({
  id: text(await console.send('GET', `/v1/keys/${keyId}`), 'name'),
  keyId,
});

for (const method of ['POST', 'PUT']) {
  operation({
    call: `${method} /v1/transit/keys/{name}/rotate`,
    transit: true,
    credential: 'api_key',
    action: 'rotate',
    body: 'optional',
    good: '200',
    event: 'rotate_key',
    dependencies: ['firestore', 'pdp', 'kms'],
    request: async ({ createKey }) => {
      const { name } = named();
      return { id: name, keyId: await createKey('software', name), body: {} };
    },
    refuses: [
      ['409 key_pending_deletion', async (tenant) => keyNamed(tenant, await makeFrozenPending(tenant, 'software'))],
      ['409 key_frozen', async (tenant) => keyNamed(tenant, await makeFrozen(tenant, 'software'))],
    ],
  });
}
