import { setSubscription } from './billing.ts';
import type { Change, Refusal } from './cases.ts';
import { text } from './client.ts';
import { makeFrozen, makeFrozenPending } from './deletion.ts';
import { makeTenant, type Tenant } from './tenant.ts';
import { reachCap } from './usage.ts';

/** What differs among the operations with keys. */
interface Use {
  /** The name of the field with the aad. */
  readonly aad: 'aad' | 'associated_data';
  /** Fields with a ciphertext that cannot be decrypted. */
  readonly damaged?: object;
  /** Refusals because of other fields, which are checked between the decoding and the size of the aad. */
  readonly fields?: readonly Refusal[];
  /** Whether the operation needs billing in good standing. */
  readonly makesCiphertext?: true;
  /** Whether the path has the key’s name, not its id. */
  readonly isNamed?: true;
}

const TOO_LARGE = Buffer.alloc(65_537).toString('base64');

/**
 * Returns the refusals which the operations with keys share, in the order of the checks. Each request fails all later
 * checks that its key allows, so the earlier check must decide.
 */
export function refusalsOfUse({ aad, damaged = {}, fields = [], makesCiphertext, isNamed }: Use): Refusal[] {
  const change = async ({ console }: Tenant, id: string): Promise<Change> => {
    const target = isNamed ? { id: text(await console.send('GET', `/v1/keys/${id}`), 'name'), keyId: id } : { id };
    return { ...target, body: damaged };
  };
  const lapsed = async ({ console: { stack } }: Tenant): Promise<Change> => {
    const other = await makeTenant(stack);
    const key = await other.createKey('wrapped');
    await setSubscription(stack, other.id, 'canceled');
    return { ...(await change(other, key)), as: other.api };
  };
  const frozen = async ({ console: { stack } }: Tenant): Promise<Change> => {
    const other = await makeTenant(stack);
    const key = await makeFrozen(other);
    await setSubscription(stack, other.id, 'canceled');
    return { ...(await change(other, key)), as: other.api };
  };
  const capped = async (tenant: Tenant) => {
    const key = await tenant.createKey('free');
    await reachCap(tenant.console.stack, key);
    return change(tenant, key);
  };
  return [
    ['400 invalid_base64', { body: { [aad]: 'A' } }],
    ...fields,
    ['413 payload_too_large', { body: { [aad]: TOO_LARGE } }],
    ['409 key_pending_deletion', async (tenant) => change(tenant, await makeFrozenPending(tenant))],
    ['409 key_frozen', frozen],
    ...(makesCiphertext ? ([['402 billing_required', lapsed]] as const) : []),
    ['429 ops_cap_reached', capped],
    ...(Object.keys(damaged).length > 0 ? ([['400 invalid_ciphertext', { body: damaged }]] as const) : []),
  ];
}
