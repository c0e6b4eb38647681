import { expect } from 'vitest';
import { operation, test } from '../../test/support/operation.ts';
import { fillTeam, inviteTo } from '../../test/support/team.ts';
import { makeTenant } from '../../test/support/tenant.ts';

operation(
  {
    call: 'POST /v1/invitations',
    credential: 'console',
    roles: ['owner'],
    body: 'required',
    good: '201',
    event: 'invite_member',
    changes: [
      { field: 'role', before: null, after: 'admin' },
      { field: 'note', before: null, after: 'Mira' },
    ],
    dependencies: ['firestore', 'pdp'],
    request: () => ({ body: { role: 'admin', note: 'Mira' } }),
    refuses: [
      ['400 invalid_request', { body: { role: null } }],
      ['400 invalid_role', { body: { role: 'root' } }],
      ['400 invalid_name', { body: { note: ' ' } }],
      [
        '409 limit_reached',
        async ({ console: { stack } }) => {
          const full = await makeTenant(stack);
          await inviteTo(full, 'auditor');
          await fillTeam(stack, full.id);
          return { as: full.console };
        },
      ],
    ],
  },
  () => {
    test('an invitation lasts seven days', async ({ tenant }) => {
      const { created_at, expires_at } = await inviteTo(tenant, 'auditor');
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 24 * 3600 * 1000);
    });
  },
);
