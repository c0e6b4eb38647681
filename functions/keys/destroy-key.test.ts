import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/keys/{id}/destroy',
  credential: 'console',
  roles: ['owner', 'admin'],
  good: '204',
  event: 'destroy_key',
  dependencies: ['firestore', 'pdp'],
  usesMaterial: true,
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
});
