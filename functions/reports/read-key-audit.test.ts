import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/keys/{id}/audit',
  credential: 'either',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  query: ['since', 'until', 'limit', 'cursor'],
  refuses: [['400 invalid_query', { query: '?limit=0' }]],
  dependencies: ['firestore'],
  request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
});
