import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

operation({
  call: 'POST /v1/keys/{id}/encrypt',
  credential: 'api_key',
  action: 'encrypt',
  body: 'required',
  good: '200',
  event: 'encrypt',
  dependencies: ['firestore', 'pdp'],
  usesMaterial: true,
  request: async (tenant, tier) => {
    const { keyId } = await makeUsedKey(tenant, tier);
    return { id: keyId, body: { plaintext: 'AAAA' } };
  },
  refuses: [
    ['400 invalid_request', { body: { plaintext: null } }],
    ['400 invalid_request', { body: { aad: 5 } }],
    ...refusalsOfUse({ aad: 'aad', makesCiphertext: true }),
  ],
});
