import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Key, Tier } from '../../../client/src/types.ts';
import { useKey } from './operations.ts';
import type { Kind, Reply } from './sender.ts';
import { anyCaller, change, type Step, type StepContext, transit, WRITING } from './step.ts';
import { SoakKey } from './tenants.ts';

const CHANGES: Kind = 'changes of keys';

/** Rotates a key. Then drops the kept ciphertexts of versions that are no longer enabled. */
export const rotate: Step = (context) =>
  changeOne(context, 'rotate_key', (key) =>
    context.sender.call(CHANGES, anyCaller(context), (service) => service.rotateKey(key.id)),
  );

export const rename: Step = (context) =>
  changeOne(context, 'rename_key', (key) =>
    context.sender.call(CHANGES, anyCaller(context), (service) => service.renameKey(key.id, { name: randomUUID() })),
  );

/** Rotates a key through the Transit route, which names the key. Only for tiers that keep older versions. */
export const rotateByName: Step = async (context) => {
  const { tenant, sender, random } = context;
  const rotatable = tenant.keys.filter(({ tier }) => tier === 'software' || tier === 'hsm');
  if (rotatable.length === 0) return;
  const key = random.pick(rotatable);
  await key.change(async () => {
    const path = `/transit/keys/${encodeURIComponent(key.name)}/rotate`;
    const rotated = await change(tenant, 'rotate_key', transit(context, CHANGES, random.pick(WRITING), path, {}));
    const read = await sender.call('reads of keys', tenant.apiKey, (service) => service.getKey(key.id));
    if (rotated !== undefined && 'done' in read) key.update(read.done);
    else key.isUncertain = true;
  });
};

/** Deletes a key and restores it. */
export const deleteAndRestore: Step = async (context) => {
  const { tenant, sender, random } = context;
  const key = random.pick(tenant.keys);
  const caller = anyCaller(context);
  await key.change(async () => {
    const pending = await change(
      tenant,
      'delete_key',
      sender.call(CHANGES, caller, (service) => service.deleteKey(key.id)),
    );
    const restored =
      pending &&
      (await change(
        tenant,
        'restore_key',
        sender.call(CHANGES, caller, (service) => service.restoreKey(key.id)),
      ));
    if (restored === undefined) key.isUncertain = true;
    else if (pending?.state !== 'pending_deletion' || restored.state !== 'active')
      context.flaw('a deleted or restored key has the wrong state');
  });
};

/** Takes a new key through its whole life: creates, uses, rotates and destroys it. */
export const useShortLivedKey: Step = async (context) => {
  const { tenant, sender, random } = context;
  const made = await random.pick([create, createByName])(context, random.pick(['wrapped', 'software', 'hsm']));
  if (made === undefined) return;
  const own = { ...context, tenant: { ...tenant, keys: [new SoakKey(made)] } };
  await useKey(own);
  await rotate(own);
  await useKey(own);
  await change(
    tenant,
    'destroy_key',
    sender.call(CHANGES, tenant.owner, (service) => service.destroyKey(made.id)),
  );
};

function create(context: StepContext, tier: Tier): Promise<Key | undefined> {
  const created = context.sender.call(CHANGES, anyCaller(context), (service) =>
    service.createKey({ name: randomUUID(), tier }),
  );
  return change(context.tenant, 'create_key', created);
}

async function createByName(context: StepContext, tier: Tier): Promise<Key | undefined> {
  const { tenant, sender, random } = context;
  const path = `/transit/keys/${randomUUID()}`;
  const created = transit(context, CHANGES, random.pick(WRITING), path, { tier });
  const answer = await change(tenant, 'create_key', created);
  if (answer === undefined) return undefined;
  const { id } = named.parse(answer).data;
  const read = await sender.call('reads of keys', tenant.apiKey, (service) => service.getKey(id));
  return 'done' in read ? read.done : undefined;
}

const named = z.object({ data: z.object({ id: z.uuid() }) });

/**
 * Replaces a key whose state is unknown with a new key. A `free` key is not replaced, because a tenant may have only
 * one and the old key may still exist.
 */
export const replaceUncertain: Step = async ({ tenant, sender }) => {
  const at = tenant.keys.findIndex(({ isUncertain, tier }) => isUncertain && tier !== 'free');
  // Remove the key from the list first, so that no other worker replaces it too.
  const [lost] = at === -1 ? [] : tenant.keys.splice(at, 1);
  if (lost === undefined) return;
  const { id, tier } = lost;
  const destroy = sender.call(CHANGES, tenant.owner, (service) => service.destroyKey(id), '404 not_found');
  const { requestId, ...destroyed } = await destroy;
  tenant.ledger.recorded(requestId, 'destroy_key', 'done' in destroyed ? 1 : 0, 1);
  const created = sender.call(CHANGES, tenant.owner, (service) => service.createKey({ name: randomUUID(), tier }));
  const made = await change(tenant, 'create_key', created);
  tenant.keys.push(made === undefined ? lost : new SoakKey(made));
};

async function changeOne(
  { tenant, random }: StepContext,
  operation: 'rotate_key' | 'rename_key',
  ask: (key: SoakKey) => Promise<Reply<Key>>,
): Promise<void> {
  const key = random.pick(tenant.keys);
  await key.change(async () => {
    const changed = await change(tenant, operation, ask(key));
    if (changed === undefined) key.isUncertain = true;
    else key.update(changed);
  });
}
