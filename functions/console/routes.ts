import type { Group } from '../../shared/http/group.ts';
import { acceptInvitationRoute } from './accept-invitation.ts';
import { changeRoleRoute } from './change-role.ts';
import { createApiKeyRoute } from './create-api-key.ts';
import { createContainerRoute } from './create-container.ts';
import { createFirewallRoute } from './create-firewall.ts';
import { deleteContainerRoute } from './delete-container.ts';
import { deleteFirewallRoute } from './delete-firewall.ts';
import { getApiKeyRoute } from './get-api-key.ts';
import { getContainerRoute } from './get-container.ts';
import { getFirewallRoute } from './get-firewall.ts';
import { inviteMemberRoute } from './invite-member.ts';
import { listApiKeysRoute } from './list-api-keys.ts';
import { listContainersRoute } from './list-containers.ts';
import { listFirewallsRoute } from './list-firewalls.ts';
import { listInvitationsRoute } from './list-invitations.ts';
import { listMembersRoute } from './list-members.ts';
import { meRoute } from './me.ts';
import { previewInvitationRoute } from './preview-invitation.ts';
import { removeMemberRoute } from './remove-member.ts';
import { renameContainerRoute } from './rename-container.ts';
import { renameTenantRoute } from './rename-tenant.ts';
import { revokeApiKeyRoute } from './revoke-api-key.ts';
import { revokeInvitationRoute } from './revoke-invitation.ts';
import { signInRoute } from './sign-in.ts';
import { updateApiKeyRoute } from './update-api-key.ts';
import { updateFirewallRoute } from './update-firewall.ts';

/** The routes with which people manage a tenant. */
export const console = {
  name: 'console',
  feature: 'identity',
  routes: [
    signInRoute,
    meRoute,
    renameTenantRoute,
    listMembersRoute,
    changeRoleRoute,
    removeMemberRoute,
    inviteMemberRoute,
    listInvitationsRoute,
    revokeInvitationRoute,
    previewInvitationRoute,
    acceptInvitationRoute,
    createApiKeyRoute,
    listApiKeysRoute,
    getApiKeyRoute,
    updateApiKeyRoute,
    revokeApiKeyRoute,
    createContainerRoute,
    listContainersRoute,
    getContainerRoute,
    renameContainerRoute,
    deleteContainerRoute,
    createFirewallRoute,
    listFirewallsRoute,
    getFirewallRoute,
    updateFirewallRoute,
    deleteFirewallRoute,
  ],
} satisfies Group<never>;
