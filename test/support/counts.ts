import { z } from 'zod';
import type { Addresses } from './client.ts';
import { patchDocument, readDocument } from './documents.ts';

/** What is counted of a tenant's things. */
export type Counter = 'keys' | 'free_keys' | 'api_keys' | 'containers' | 'firewalls';

const count = z.object({ integerValue: z.coerce.number() }).transform(({ integerValue }) => integerValue);
const stored = z.object({
  fields: z.object({ keys: count, free_keys: count, api_keys: count, containers: count, firewalls: count }),
});

/** How many things of each kind a tenant has, as stored. */
export async function countsOf(stack: Addresses, tenantId: string): Promise<Record<Counter, number>> {
  return stored.parse(await readDocument(stack, `objectCounts/${tenantId}`)).fields;
}

/** Sets how many things of a kind a tenant has, past the service. */
export async function setCount(stack: Addresses, tenantId: string, counter: Counter, value: number): Promise<void> {
  await patchDocument(stack, `objectCounts/${tenantId}`, counter, { integerValue: String(value) });
}
