import { randomUUID } from 'node:crypto';
import type { EncryptionService } from '../../../client/src/service.ts';
import type { AuditEvent } from '../../../client/src/types.ts';
import type { Caller, Kind } from './sender.ts';
import { change, type Step, type Visit } from './visit.ts';

const CHANGES: Kind = 'changes in the console';

/** Creates, uses, changes and revokes an API key. */
export const useApiKey: Step = async (visit) => {
  const { sender } = visit;
  const made = await ask(visit, 'create_api_key', (service) => service.createApiKey({ name: randomUUID() }));
  if (made === undefined) return;
  const { token: apiKey, id } = made;
  const seen = await sender.call('reads of keys', { apiKey }, (service) => service.getCaller());
  if ('done' in seen && seen.done.id !== id) visit.flaw('caller: another API key than asked');
  await read(visit, (service) => service.getApiKey(id));
  await ask(visit, 'update_api_key', (service) => service.updateApiKey(id, { allowed_actions: ['encrypt'] }));
  await ask(visit, 'revoke_api_key', (service) => service.revokeApiKey(id));
};

/** Creates, renames and deletes a container. */
export const useContainer: Step = async (visit) => {
  const name = () => ({ name: randomUUID() });
  const made = await ask(visit, 'create_container', (service) => service.createContainer(name()));
  if (made === undefined) return;
  await read(visit, (service) => service.getContainer(made.id));
  await ask(visit, 'rename_container', (service) => service.renameContainer(made.id, name()));
  await ask(visit, 'delete_container', (service) => service.deleteContainer(made.id));
};

/** Creates a firewall and an API key that uses it, then deletes both. */
export const useFirewall: Step = async (visit) => {
  const { sender } = visit;
  const name = randomUUID();
  const firewall = await ask(visit, 'create_firewall', (service) =>
    service.createFirewall({ name, allowed_ips: ['192.0.2.0/24'] }),
  );
  if (firewall === undefined) return;
  const made = await ask(visit, 'create_api_key', (service) =>
    service.createApiKey({ name, firewall_id: firewall.id }),
  );
  // Although its creation failed, the API key may exist. Then it uses the firewall, which cannot be deleted.
  if (made === undefined) return;
  const { token: apiKey } = made;
  await sender.call('reads of keys', { apiKey }, (service) => service.listKeys(), '403 ip_not_allowed');
  const allowed_ips = ['127.0.0.0/8', '::1'];
  const opened = await ask(visit, 'update_firewall', (service) => service.updateFirewall(firewall.id, { allowed_ips }));
  await read(visit, (service) => service.getFirewall(firewall.id));
  if (opened !== undefined) await sender.call('reads of keys', { apiKey }, (service) => service.listKeys());
  const revoked = await ask(visit, 'revoke_api_key', (service) => service.revokeApiKey(made.id).then(() => true));
  if (revoked) await ask(visit, 'delete_firewall', (service) => service.deleteFirewall(firewall.id));
};

/** Invites a person. The person joins, gets another role and is removed. */
export const useInvitation: Step = async (visit) => {
  const { sender, people } = visit;
  const invited = await ask(visit, 'invite_member', (service) => service.inviteMember({ role: 'auditor' }));
  if (invited === undefined) return;
  const person = people.person(randomUUID());
  await sender.call('reads in the console', person, (service) => service.previewInvitation(invited.token));
  const me = await ask(visit, 'accept_invitation', (service) => service.acceptInvitation(invited.token), person);
  if (me === undefined) return;
  await ask(visit, 'change_role', (service) => service.changeRole(me.user.id, 'admin'));
  await ask(visit, 'remove_member', (service) => service.removeMember(me.user.id));
};

export const withdrawInvitation: Step = async (visit) => {
  const invited = await ask(visit, 'invite_member', (service) => service.inviteMember({ role: 'admin' }));
  if (invited !== undefined) await ask(visit, 'revoke_invitation', (service) => service.revokeInvitation(invited.id));
};

export const renameTenant: Step = (visit) =>
  ask(visit, 'rename_tenant', (service) => service.renameTenant(randomUUID()));

/** Sends Stripe's event about the tenant's subscription a second time. */
export const repeatSubscriptionEvent: Step = ({ tenant, sender, clock }) => {
  const { payload, sign } = tenant.subscription;
  const headers = { 'content-type': 'application/json', 'stripe-signature': sign(clock.now()) };
  return sender.raw(CHANGES, { method: 'POST', path: '/v1/webhooks/stripe', headers, body: payload });
};

function read({ tenant, sender }: Visit, work: (service: EncryptionService) => Promise<unknown>) {
  return sender.call('reads in the console', tenant.owner, work);
}

/** Makes a change in the console, as the tenant's owner or as a given person. */
function ask<Answer>(
  { tenant, sender }: Visit,
  operation: AuditEvent['operation'],
  work: (service: EncryptionService) => Promise<Answer>,
  caller: Caller = tenant.owner,
): Promise<Answer | undefined> {
  return change(tenant, operation, sender.call(CHANGES, caller, work));
}
