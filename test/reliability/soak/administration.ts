import { randomUUID } from 'node:crypto';
import type { EncryptionService } from '../../../client/src/service.ts';
import type { AuditEvent } from '../../../client/src/types.ts';
import type { Caller, Kind } from './sender.ts';
import { change, type Step, type StepContext } from './step.ts';

const CHANGES: Kind = 'changes in the console';

/** Creates, uses, changes and revokes an API key. */
export const useApiKey: Step = async (context) => {
  const { sender } = context;
  const made = await ask(context, 'create_api_key', (service) => service.createApiKey({ name: randomUUID() }));
  if (made === undefined) return;
  const { token: apiKey, id } = made;
  if (apiKey === null) return context.flaw('api key: no token');
  const seen = await sender.call('reads of keys', { apiKey }, (service) => service.getCaller());
  if ('done' in seen && seen.done.id !== id) context.flaw('caller: another API key than asked');
  await read(context, (service) => service.getApiKey(id));
  await ask(context, 'update_api_key', (service) => service.updateApiKey(id, { allowed_actions: ['encrypt'] }));
  await ask(context, 'revoke_api_key', (service) => service.revokeApiKey(id));
};

/** Creates, renames and deletes a container. */
export const useContainer: Step = async (context) => {
  const name = () => ({ name: randomUUID() });
  const made = await ask(context, 'create_container', (service) => service.createContainer(name()));
  if (made === undefined) return;
  await read(context, (service) => service.getContainer(made.id));
  await ask(context, 'rename_container', (service) => service.renameContainer(made.id, name()));
  await ask(context, 'delete_container', (service) => service.deleteContainer(made.id));
};

/** Creates a firewall and an API key that uses it, then deletes both. */
export const useFirewall: Step = async (context) => {
  const { sender } = context;
  const name = randomUUID();
  const firewall = await ask(context, 'create_firewall', (service) =>
    service.createFirewall({ name, allowed_ips: ['192.0.2.0/24'] }),
  );
  if (firewall === undefined) return;
  const made = await ask(context, 'create_api_key', (service) =>
    service.createApiKey({ name, firewall_id: firewall.id }),
  );
  // The API key may exist although the service did not acknowledge its creation. If it exists, it uses the firewall, so
  // the firewall cannot be deleted.
  if (made === undefined) return;
  const { token: apiKey } = made;
  if (apiKey === null) return context.flaw('api key: no token');
  await sender.call('reads of keys', { apiKey }, (service) => service.listKeys(), '403 ip_not_allowed');
  const allowed_ips = ['127.0.0.0/8', '::1'];
  const opened = await ask(context, 'update_firewall', (service) =>
    service.updateFirewall(firewall.id, { allowed_ips }),
  );
  await read(context, (service) => service.getFirewall(firewall.id));
  if (opened !== undefined) await sender.call('reads of keys', { apiKey }, (service) => service.listKeys());
  const revoked = await ask(context, 'revoke_api_key', (service) => service.revokeApiKey(made.id).then(() => true));
  if (revoked) await ask(context, 'delete_firewall', (service) => service.deleteFirewall(firewall.id));
};

/** Invites a person. The person joins, gets another role and is removed. */
export const useInvitation: Step = async (context) => {
  const { sender, people } = context;
  const invited = await ask(context, 'invite_member', (service) => service.inviteMember({ role: 'auditor' }));
  if (invited === undefined) return;
  const person = people.person(randomUUID());
  await sender.call('reads in the console', person, (service) => service.previewInvitation(invited.token));
  const me = await ask(context, 'accept_invitation', (service) => service.acceptInvitation(invited.token), person);
  if (me === undefined) return;
  await ask(context, 'change_role', (service) => service.changeRole(me.user.id, 'admin'));
  await ask(context, 'remove_member', (service) => service.removeMember(me.user.id));
};

export const withdrawInvitation: Step = async (context) => {
  const invited = await ask(context, 'invite_member', (service) => service.inviteMember({ role: 'admin' }));
  if (invited !== undefined) await ask(context, 'revoke_invitation', (service) => service.revokeInvitation(invited.id));
};

export const renameTenant: Step = (context) =>
  ask(context, 'rename_tenant', (service) => service.renameTenant(randomUUID()));

/** Sends Stripe's event about the tenant's subscription a second time. */
export const repeatSubscriptionEvent: Step = ({ tenant, sender, clock }) => {
  const { payload, sign } = tenant.subscription;
  const headers = { 'content-type': 'application/json', 'stripe-signature': sign(clock.now()) };
  return sender.raw(CHANGES, { method: 'POST', path: '/v1/webhooks/stripe', headers, body: payload });
};

function read({ tenant, sender }: StepContext, work: (service: EncryptionService) => Promise<unknown>) {
  return sender.call('reads in the console', tenant.owner, work);
}

/** Makes a change in the console, as the tenant's owner or as a given person. */
function ask<Answer>(
  { tenant, sender }: StepContext,
  operation: AuditEvent['operation'],
  work: (service: EncryptionService) => Promise<Answer>,
  caller: Caller = tenant.owner,
): Promise<Answer | undefined> {
  return change(tenant, operation, sender.call(CHANGES, caller, work));
}
