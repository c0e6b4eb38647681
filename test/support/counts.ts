import { z } from 'zod';
import type { Change } from './cases.ts';
import type { Addresses } from './client.ts';
import { patchDocument, readDocument } from './firestore.ts';
import { makeTenant, named, type Tenant } from './tenant.ts';

/** The kinds of objects that the service counts per tenant. */
export type Counter =
  | 'keys'
  | 'free_keys'
  | 'api_keys'
  | 'containers'
  | 'firewalls'
  | 'paid_keys_created'
  | 'federation_bytes';

const count = z.object({ integerValue: z.coerce.number() }).transform(({ integerValue }) => integerValue);
const stored = z.object({
  fields: z.object({
    ...{ keys: count, free_keys: count, api_keys: count, containers: count, firewalls: count },
    ...{ paid_keys_created: count, federation_bytes: count },
  }),
});

/** Returns the stored counts of a tenant's objects. */
export async function countsOf(stack: Addresses, tenantId: string): Promise<Record<Counter, number>> {
  return stored.parse(await readDocument(stack, `objectCounts/${tenantId}`)).fields;
}

/** Sets a stored count of a tenant directly in the store. */
export async function setCount(stack: Addresses, tenantId: string, counter: Counter, value: number): Promise<void> {
  await patchDocument(stack, `objectCounts/${tenantId}`, counter, { integerValue: String(value) });
}

/** Returns the change that sends a request as a tenant that has as many objects of a kind as it may have. */
export function atLimit(
  counter: Counter,
  most: number,
  as: 'console' | 'api' = 'console',
): (tenant: Tenant) => Promise<Change> {
  return async ({ console: { stack } }) => {
    const full = await makeTenant(stack);
    await setCount(stack, full.id, counter, most);
    return { as: full[as] };
  };
}

/**
 * All kinds of objects whose number is limited per tenant. `rest` are the fields of a request to create an object,
 * besides the name. `end` is the request that removes an object: its method, and the suffix after the object's path.
 */
const KINDS = [
  { things: 'live keys', counter: 'keys', most: 10_000, rest: { tier: 'wrapped' }, end: ['POST', '/destroy'] },
  { things: 'live API keys', counter: 'api_keys', most: 1_000, rest: {}, end: ['DELETE', ''] },
  { things: 'containers', counter: 'containers', most: 100, rest: {}, end: ['DELETE', ''] },
  { things: 'firewalls', counter: 'firewalls', most: 1_000, rest: { allowed_ips: ['192.0.2.1'] }, end: ['DELETE', ''] },
] as const;

/** {@link KINDS}, with the path of the objects, and with a function that returns a body for a request to create one. */
export const BOUNDED = KINDS.map(({ rest, ...kind }) => ({
  ...kind,
  path: `/v1/${kind.counter.replace('_', '-')}`,
  body: () => ({ ...named(), ...rest }),
}));
