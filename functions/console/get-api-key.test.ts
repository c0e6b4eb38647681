import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/api-keys/{id}',
  credential: 'console',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  dependencies: ['firestore'],
  request: async ({ mint }) => ({ id: (await mint()).id }),
});
