import type { ApiKeyId, ContainerId, FirewallId, UserId } from '../../shared/base/ids.ts';
import { named } from '../../shared/http/target.ts';
import { loadApiKey } from '../../shared/tenancy/api-keys.ts';
import { loadContainer } from '../../shared/tenancy/containers.ts';
import { loadFirewall } from '../../shared/tenancy/firewalls.ts';
import { findInvitation } from '../../shared/tenancy/invitations.ts';
import { loadMember } from '../../shared/tenancy/members.ts';
import type { InvitationId } from '../../shared/tenancy/team.ts';

/** These targets throw `not_found` unless the object belongs to the tenant of the caller. */
export const API_KEY = named<ApiKeyId>(({ store }, tenantId, id) => loadApiKey(store, tenantId, id));
export const CONTAINER = named<ContainerId>(({ store }, tenantId, id) => loadContainer(store, tenantId, id));
export const FIREWALL = named<FirewallId>(({ store }, tenantId, id) => loadFirewall(store, tenantId, id));
export const INVITATION = named<InvitationId>(findInvitation);
export const MEMBER = named<UserId>(({ store }, tenantId, id) => loadMember(store, tenantId, id));
