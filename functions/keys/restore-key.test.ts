import { patchDocument } from '../../test/support/documents.ts';
import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/restore',
  credential: 'either',
  roles: ['owner', 'admin'],
  good: '200',
  action: 'restore',
  event: 'restore_key',
  dependencies: ['firestore', 'pdp'],
  request: async ({ console, createKey }, tier) => {
    const id = await createKey(tier);
    await console.send('DELETE', `/v1/keys/${id}`);
    return { id };
  },
  refuses: [
    ['409 not_pending_deletion', async ({ createKey }) => ({ id: await createKey('wrapped') })],
    [
      '409 restore_window_closed',
      async ({ api, createKey }) => {
        const id = await createKey('wrapped');
        await api.send('DELETE', `/v1/keys/${id}`);
        await patchDocument(api.stack, `keys/${id}`, 'destroy_after', { timestampValue: '2026-01-01T00:00:00Z' });
        return { id };
      },
    ],
  ],
});
