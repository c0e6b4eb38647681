import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/billing',
  credential: 'console',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  dependencies: ['firestore'],
  request: () => ({}),
});
