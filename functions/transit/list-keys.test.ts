import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/transit/keys',
  transit: true,
  credential: 'api_key',
  good: '200',
  query: ['list'],
  dependencies: ['firestore'],
  request: () => ({ query: '?list=true' }),
  refuses: [['400 invalid_query', { query: '?list=false' }]],
});
