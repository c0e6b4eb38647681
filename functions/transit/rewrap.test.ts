import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

for (const method of ['POST', 'PUT']) {
  operation({
    call: `${method} /v1/transit/rewrap/{name}`,
    transit: true,
    credential: 'api_key',
    action: 'rewrap',
    body: 'required',
    good: '200',
    event: 'rewrap',
    dependencies: ['firestore', 'pdp'],
    usesMaterial: true,
    request: async (tenant, tier) => {
      const { name, keyId, ciphertext } = await makeUsedKey(tenant, tier);
      return { id: name, keyId, body: { ciphertext: `vault:v1:${ciphertext}` } };
    },
    refuses: [
      ['400 invalid_request', { body: { associated_data: 5 } }],
      ...refusalsOfUse({
        aad: 'associated_data',
        isNamed: true,
        damaged: { ciphertext: 'vault:v1:AA==' },
        makesCiphertext: true,
      }),
    ],
  });
}
