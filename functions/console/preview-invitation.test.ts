import { operation } from '../../test/support/operation.ts';
import { inviteTo } from '../../test/support/team.ts';

operation({
  call: 'POST /v1/invitations/preview',
  credential: 'newcomer',
  body: 'required',
  good: '200',
  dependencies: ['firestore'],
  request: async (tenant) => ({ body: { token: (await inviteTo(tenant, 'auditor')).token } }),
  refuses: [
    ['400 invalid_request', { body: { token: null } }],
    ['404 not_found', { body: { token: 'none' } }],
  ],
});
