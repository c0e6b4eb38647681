import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/audit/restorations',
  credential: 'console',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  query: ['from', 'limit'],
  refuses: [['400 invalid_query', { query: '?from=-1' }]],
  dependencies: ['firestore'],
  request: () => ({}),
});
