import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/billing/checkout',
  credential: 'console',
  roles: ['owner'],
  good: '409 billing_active',
  dependencies: ['firestore', 'pdp', 'stripe'],
  request: () => ({}),
  refuses: [['409 billing_active', {}]],
});
