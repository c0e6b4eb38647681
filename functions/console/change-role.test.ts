import { expect } from 'vitest';
import { outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { inviteTo, join, meOf } from '../../test/support/team.ts';

operation(
  {
    call: 'PATCH /v1/members/{id}',
    credential: 'console',
    roles: ['owner'],
    body: 'required',
    good: '200',
    event: 'change_role',
    changes: [{ field: 'role', before: 'auditor', after: 'admin' }],
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({ id: (await join(tenant, 'auditor')).id, body: { role: 'admin' } }),
    refuses: [
      ['400 invalid_request', { body: { role: null } }],
      ['400 invalid_role', { body: { role: 'root' } }],
      ['409 last_owner', async ({ console }) => ({ id: (await meOf(console)).user.id })],
    ],
  },
  () => {
    test('a new role applies from the member’s next request', async ({ tenant }) => {
      const ann = await join(tenant, 'auditor');
      const create = async () => outcome(await ann.session.send('POST', '/v1/containers', { name: 'one' }));
      expect(await create()).toBe('403 role_not_allowed');
      await tenant.console.send('PATCH', `/v1/members/${ann.id}`, { role: 'admin' });
      expect(await create()).toBe('201');
      expect((await meOf(ann.session)).role).toBe('admin');
    });

    test('the invitations of an owner who loses the role are revoked, and stay so when the owner regains it', async ({
      tenant,
    }) => {
      const ann = await join(tenant, 'owner');
      const { token } = await inviteTo({ console: ann.session }, 'admin');
      for (const role of ['admin', 'owner']) await tenant.console.send('PATCH', `/v1/members/${ann.id}`, { role });
      expect(outcome(await ann.session.send('POST', '/v1/invitations/preview', { token }))).toBe('404 not_found');
    });
  },
);
