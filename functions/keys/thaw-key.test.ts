import { makeFrozen, makePending } from '../../test/support/deletion.ts';
import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/thaw',
  credential: 'console',
  roles: ['owner', 'admin'],
  good: '200',
  event: 'thaw_key',
  dependencies: ['firestore', 'pdp'],
  request: async (tenant, tier) => ({ id: await makeFrozen(tenant, tier) }),
  refuses: [['409 key_pending_deletion', async (tenant) => ({ id: await makePending(tenant) })]],
});
