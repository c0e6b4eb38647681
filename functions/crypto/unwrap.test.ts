import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

operation({
  call: 'POST /v1/keys/{id}/unwrap',
  credential: 'api_key',
  action: 'unwrap',
  body: 'required',
  good: '200',
  event: 'unwrap',
  dependencies: ['firestore', 'pdp'],
  usesMaterial: true,
  request: async (tenant, tier) => {
    const { keyId, ciphertext } = await makeUsedKey(tenant, tier);
    return { id: keyId, body: { wrapped: ciphertext } };
  },
  refuses: [
    ['400 invalid_request', { body: { wrapped: null } }],
    ...refusalsOfUse({ aad: 'aad', damaged: { wrapped: 'AA==' } }),
  ],
});
