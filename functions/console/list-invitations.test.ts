import { expect } from 'vitest';
import { operation, test } from '../../test/support/operation.ts';
import { accept, inviteTo, signInSomebody } from '../../test/support/team.ts';
import { makeTenant } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/invitations',
    credential: 'console',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('an invitation is listed without its token until somebody accepts it', async ({ stack }) => {
      const tenant = await makeTenant(stack);
      const { token, ...shown } = await inviteTo(tenant, 'auditor', 'the new auditor');
      const listed = async () => (await tenant.console.send('GET', '/v1/invitations')).body;
      expect(await listed()).toEqual([shown]);
      await accept(await signInSomebody(stack), token);
      expect(await listed()).toEqual([]);
    });
  },
);
