import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

operation({
  call: 'POST /v1/keys/{id}/decrypt',
  credential: 'api_key',
  action: 'decrypt',
  body: 'required',
  good: '200',
  event: 'decrypt',
  dependencies: ['firestore', 'pdp'],
  usesMaterial: true,
  request: async (tenant, tier) => {
    const { keyId, ciphertext } = await makeUsedKey(tenant, tier);
    return { id: keyId, body: { ciphertext } };
  },
  refuses: [
    ['400 invalid_request', { body: { ciphertext: null } }],
    ...refusalsOfUse({ aad: 'aad', damaged: { ciphertext: 'AA==' } }),
  ],
});
