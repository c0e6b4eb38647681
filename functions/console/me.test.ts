import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/me',
  credential: 'newcomer',
  good: '200',
  dependencies: ['firestore'],
  request: () => ({}),
});
