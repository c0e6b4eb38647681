import { operation } from '../../test/support/operation.ts';

operation({
  call: 'POST /v1/webhooks/stripe',
  credential: 'none',
  good: '400 invalid_request',
  dependencies: [],
  request: () => ({ body: {} }),
  refuses: [
    ['400 invalid_request', {}],
    [
      '413 payload_too_large',
      async () => {
        const signature = `t=${Math.floor(Date.now() / 1000)},v1=${'a'.repeat(64)}`;
        return { extras: { raw: ' '.repeat(1_048_577), headers: { 'stripe-signature': signature } } };
      },
    ],
  ],
});
