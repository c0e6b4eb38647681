import { operation } from '../../test/support/operation.ts';
import { makeTenant } from '../../test/support/tenant.ts';

operation({
  call: 'POST /v1/billing/portal',
  credential: 'console',
  roles: ['owner'],
  good: '200',
  dependencies: ['firestore', 'pdp', 'stripe'],
  request: () => ({}),
  refuses: [
    ['409 billing_not_set_up', async ({ console }) => ({ as: (await makeTenant(console.stack, 'none')).console })],
  ],
});
