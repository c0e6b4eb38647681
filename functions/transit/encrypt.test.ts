import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

for (const method of ['POST', 'PUT']) {
  operation({
    call: `${method} /v1/transit/encrypt/{name}`,
    transit: true,
    credential: 'api_key',
    action: 'encrypt',
    body: 'required',
    good: '200',
    event: 'encrypt',
    dependencies: ['firestore', 'pdp'],
    usesMaterial: true,
    request: async (tenant, tier) => {
      const { name, keyId } = await makeUsedKey(tenant, tier);
      return { id: name, keyId, body: { plaintext: 'AAAA' } };
    },
    refuses: [
      ['400 invalid_request', { body: { associated_data: 5 } }],
      ...refusalsOfUse({ aad: 'associated_data', isNamed: true, makesCiphertext: true }),
    ],
  });
}
