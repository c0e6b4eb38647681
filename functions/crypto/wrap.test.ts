import { operation } from '../../test/support/operation.ts';
import { makeUsedKey } from '../../test/support/operations.ts';
import { refusalsOfUse } from '../../test/support/refusals-of-use.ts';

operation({
  call: 'POST /v1/keys/{id}/wrap',
  credential: 'api_key',
  action: 'wrap',
  body: 'required',
  good: '200',
  event: 'wrap',
  dependencies: ['firestore', 'pdp'],
  usesMaterial: true,
  request: async (tenant, tier) => {
    const { keyId } = await makeUsedKey(tenant, tier);
    return { id: keyId, body: {} };
  },
  refuses: [
    ['400 invalid_request', { body: { dek: [] } }],
    ...refusalsOfUse({
      aad: 'aad',
      fields: [
        ['400 invalid_dek_length', { body: { dek: 'AA==' } }],
        ['400 invalid_dek_length', { body: { dek: '' } }],
      ],
      makesCiphertext: true,
    }),
  ],
});
