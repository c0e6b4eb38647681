import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/auth/token/lookup-self',
  transit: true,
  credential: 'api_key',
  good: '200',
  dependencies: ['firestore'],
  request: () => ({}),
});
