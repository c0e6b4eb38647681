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
    [
      '409 key_pending_deletion',
      async ({ api, createKey }) => {
        const id = await createKey('wrapped');
        await api.send('DELETE', `/v1/keys/${id}`);
        return { id };
      },
    ],
    [
      '409 key_frozen',
      async ({ console, createKey }) => {
        const id = await createKey('wrapped');
        await console.send('POST', `/v1/keys/${id}/freeze`);
        return { id };
      },
    ],
  ],
});
