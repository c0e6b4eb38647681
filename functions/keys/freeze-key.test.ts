import { makeFrozenPending } from '../../test/support/deletion.ts';
import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/freeze',
  credential: 'console',
  roles: ['owner', 'admin'],
  good: '200',
  event: 'freeze_key',
  dependencies: ['firestore', 'pdp'],
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
  refuses: [['409 key_pending_deletion', async (tenant) => ({ id: await makeFrozenPending(tenant) })]],
});
