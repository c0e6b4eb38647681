import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/audit',
  credential: 'console',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  query: ['since', 'until', 'limit', 'cursor', 'operation', 'result', 'key_id', 'api_key_id', 'user_id', 'target_id'],
  refuses: [['400 invalid_query', { query: '?result=no' }]],
  dependencies: ['firestore'],
  request: () => ({}),
});
