import { expect } from 'vitest';
import { list, outcome, text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { inviteTo, join, meOf } from '../../test/support/team.ts';
import { makeTenant, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'DELETE /v1/members/{id}',
    credential: 'console',
    roles: ['owner'],
    good: '204',
    event: 'remove_member',
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({ id: (await join(tenant, 'auditor')).id }),
    refuses: [['409 last_owner', async ({ console }) => ({ id: (await meOf(console)).user.id })]],
  },
  () => {
    test('a removed member gets 403 no_tenant from the next request on, until GET /v1/me creates a new tenant for them', async ({
      stack,
    }) => {
      const tenant = await makeTenant(stack);
      const ann = await join(tenant, 'admin');
      await tenant.console.send('DELETE', `/v1/members/${ann.id}`);
      expect(outcome(await ann.session.send('GET', '/v1/keys'))).toBe('403 no_tenant');
      const { user, tenant: own, role } = await meOf(ann.session);
      expect({ id: user.id, role }).toEqual({ id: ann.id, role: 'owner' });
      expect(own.id).not.toBe(tenant.id);
      expect(list(await tenant.console.send('GET', '/v1/members'))).toHaveLength(1);
    });

    test('members of every role may remove themselves', async ({ tenant }) => {
      for (const role of ['admin', 'auditor'] as const) {
        const { id, session } = await join(tenant, role);
        expect(outcome(await session.send('DELETE', `/v1/members/${id}`))).toBe('204');
      }
    });

    test('removing a member keeps the API keys that they created, and revokes their invitations without events', async ({
      tenant: { console },
      tenant,
    }) => {
      const ann = await join(tenant, 'owner');
      const apiKey = text(await ann.session.send('POST', '/v1/api-keys', named()), 'id');
      const { token } = await inviteTo({ console: ann.session }, 'admin');
      await console.send('DELETE', `/v1/members/${ann.id}`);
      expect(outcome(await console.send('GET', `/v1/api-keys/${apiKey}`))).toBe('200');
      expect(outcome(await ann.session.send('POST', '/v1/invitations/preview', { token }))).toBe('404 not_found');
      expect(list(await console.send('GET', '/v1/audit?operation=revoke_invitation'))).toEqual([]);
    });
  },
);
