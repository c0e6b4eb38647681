import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /health/ready',
  credential: 'none',
  good: '200',
  dependencies: ['firestore', 'kms', 'pdp'],
  request: () => ({}),
});
