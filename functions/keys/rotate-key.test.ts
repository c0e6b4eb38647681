import { makeFrozen, makeFrozenPending } from '../../test/support/deletion.ts';
import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/rotate',
  credential: 'either',
  action: 'rotate',
  roles: ['owner', 'admin'],
  good: '200',
  event: 'rotate_key',
  dependencies: ['firestore', 'pdp', 'kms'],
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
  refuses: [
    ['409 key_pending_deletion', async (tenant) => ({ id: await makeFrozenPending(tenant) })],
    ['409 key_frozen', async (tenant) => ({ id: await makeFrozen(tenant) })],
  ],
});
