import { operation } from '../../test/support/operation.ts';
import { makeContainer } from '../../test/support/tenant.ts';

operation({
  call: 'GET /v1/containers/{id}',
  credential: 'console',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  dependencies: ['firestore'],
  request: async (tenant) => ({ id: await makeContainer(tenant) }),
});
