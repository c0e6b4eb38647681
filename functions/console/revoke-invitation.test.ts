import { expect } from 'vitest';
import { outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { accept, inviteTo, signInSomebody } from '../../test/support/team.ts';

operation(
  {
    call: 'DELETE /v1/invitations/{id}',
    credential: 'console',
    roles: ['owner'],
    good: '204',
    event: 'revoke_invitation',
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({ id: (await inviteTo(tenant, 'auditor')).id }),
    refuses: [
      [
        '404 not_found',
        async (tenant) => {
          const { id, token } = await inviteTo(tenant, 'auditor');
          await accept(await signInSomebody(tenant.console.stack), token);
          return { id };
        },
      ],
    ],
  },
  () => {
    test('a revoked invitation can be neither accepted nor previewed', async ({ stack, tenant }) => {
      const { id, token } = await inviteTo(tenant, 'admin');
      await tenant.console.send('DELETE', `/v1/invitations/${id}`);
      const session = await signInSomebody(stack);
      for (const how of ['accept', 'preview']) {
        expect(outcome(await session.send('POST', `/v1/invitations/${how}`, { token }))).toBe('404 not_found');
      }
    });
  },
);
