import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/thaw',
  credential: 'console',
  roles: ['owner', 'admin'],
  good: '200',
  event: 'thaw_key',
  dependencies: ['firestore', 'pdp'],
  request: async ({ console, createKey }, tier) => {
    const id = await createKey(tier);
    await console.send('POST', `/v1/keys/${id}/freeze`);
    return { id };
  },
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
