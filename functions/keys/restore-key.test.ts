import { makePending } from '../../test/support/deletion.ts';
import { patchDocument } from '../../test/support/firestore.ts';
import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/restore',
  credential: 'either',
  roles: ['owner', 'admin'],
  good: '200',
  action: 'restore',
  event: 'restore_key',
  dependencies: ['firestore', 'pdp'],
  request: async (tenant, tier) => ({ id: await makePending(tenant, tier) }),
  refuses: [
    ['409 not_pending_deletion', async ({ createKey }) => ({ id: await createKey('wrapped') })],
    [
      '409 restore_window_closed',
      async (tenant) => {
        const id = await makePending(tenant);
        await patchDocument(tenant.console.stack, `keys/${id}`, 'destroy_after', {
          timestampValue: '2026-01-01T00:00:00Z',
        });
        return { id };
      },
    ],
  ],
});
