import { randomUUID } from 'node:crypto';
import { operation } from '../../test/support/operation.ts';
import { fillMembers, inviteTo } from '../../test/support/team.ts';
import { makeTenant, signIn } from '../../test/support/tenant.ts';

operation({
  call: 'POST /v1/invitations/accept',
  credential: 'newcomer',
  body: 'required',
  good: '200',
  ofMember: '409 already_member',
  event: 'accept_invitation',
  dependencies: ['firestore'],
  request: async (tenant) => {
    const { id, token } = await inviteTo(tenant, 'auditor');
    return { id, body: { token } };
  },
  refuses: [
    ['400 invalid_request', { body: { token: null } }],
    ['404 not_found', { body: { token: 'none' } }],
    ['409 already_member', async ({ console }) => ({ as: console })],
    [
      '409 limit_reached',
      async ({ console: { stack } }) => {
        const full = await makeTenant(stack);
        const { token } = await inviteTo(full, 'auditor');
        await fillMembers(stack, full.id, 100);
        return { as: await signIn(stack, randomUUID()), body: { token } };
      },
    ],
  ],
});
