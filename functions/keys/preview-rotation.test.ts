import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/keys/{id}/rotation',
  credential: 'either',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  dependencies: ['firestore'],
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
});
