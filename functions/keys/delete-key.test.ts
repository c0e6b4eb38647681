import { operation } from '../../test/support/operation.ts';

operation({
  call: 'DELETE /v1/keys/{id}',
  credential: 'either',
  action: 'delete',
  roles: ['owner', 'admin'],
  good: '200',
  event: 'delete_key',
  dependencies: ['firestore', 'pdp'],
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
});
