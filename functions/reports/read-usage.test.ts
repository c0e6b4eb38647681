import { operation } from '../../test/support/operation.ts';

operation({
  call: 'GET /v1/usage',
  credential: 'either',
  roles: ['owner', 'admin', 'auditor'],
  good: '200',
  query: ['period'],
  refuses: [['400 invalid_period', { query: '?period=2026-13' }]],
  dependencies: ['firestore'],
  request: () => ({}),
});
