import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

const CALLS = ['POST', 'PUT'].flatMap((method) => [
  `${method} /v1/transit/datakey/plaintext/{name}`,
  `${method} /v1/transit/datakey/wrapped/{name}`,
]);

for (const call of CALLS) {
  operation({
    call,
    transit: true,
    credential: 'api_key',
    action: 'wrap',
    body: 'optional',
    good: '200',
    event: 'wrap',
    dependencies: ['firestore', 'pdp'],
    usesMaterial: true,
    request: async (tenant, tier) => {
      const { name, keyId } = await makeUsedKey(tenant, tier);
      return { id: name, keyId, body: {} };
    },
    refuses: [
      ['400 invalid_request', { body: { bits: 512 } }],
      ...refusalsOfUse({ aad: 'associated_data', isNamed: true, makesCiphertext: true }),
    ],
  });
}
