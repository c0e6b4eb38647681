import { expect } from 'vitest';
import { makePending } from '../../test/support/deletion.ts';
import { operation, test } from '../../test/support/operation.ts';

operation(
  {
    call: 'GET /v1/keys/{id}/rotation',
    credential: 'either',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: async ({ createKey }, tier) => ({ id: await createKey(tier) }),
  },
  () => {
    test('the rotation preview is available for a key pending deletion', async ({ tenant }) => {
      const id = await makePending(tenant, 'software');
      const { body } = await tenant.api.send('GET', `/v1/keys/${id}/rotation`);
      expect(body).toMatchObject({ next_version: 2, keeps: [1], retires: [] });
    });
  },
);
