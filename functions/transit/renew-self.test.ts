import { operation } from '../../test/support/operation.ts';

for (const method of ['POST', 'PUT']) {
  operation({
    call: `${method} /v1/auth/token/renew-self`,
    transit: true,
    credential: 'api_key',
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  });
}
