import { expect } from 'vitest';
import { memberObject, read } from '../../test/support/objects.ts';
import { operation, test } from '../../test/support/operation.ts';
import { join, meOf } from '../../test/support/team.ts';
import { makeTenant } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/members',
    credential: 'console',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('the first member is the owner, and members are listed oldest first, with the names of their tokens', async ({
      stack,
    }) => {
      const tenant = await makeTenant(stack);
      const { user, role } = await meOf(tenant.console);
      expect(role).toBe('owner');
      const ann = await join(tenant, 'admin', { email: 'ann@example.com', name: 'Ann' });
      const bob = await join(tenant, 'auditor');
      expect(read(memberObject.array(), await bob.session.send('GET', '/v1/members'))).toMatchObject([
        { user_id: user.id, role: 'owner' },
        { user_id: ann.id, role: 'admin', email: 'ann@example.com', name: 'Ann' },
        { user_id: bob.id, role: 'auditor', email: null, name: null },
      ]);
    });
  },
);
