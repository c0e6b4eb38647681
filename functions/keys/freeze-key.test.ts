import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/freeze',
  credential: 'console',
  roles: ['owner', 'admin'],
  good: '200',
  event: 'freeze_key',
  dependencies: ['firestore', 'pdp'],
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
  refuses: [
    [
      '409 key_pending_deletion',
      async ({ api, createKey }) => {
        const id = await createKey('wrapped');
        await api.send('DELETE', `/v1/keys/${id}`);
        return { id };
      },
    ],
  ],
});
