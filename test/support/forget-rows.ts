import { inject } from 'vitest';
import { z } from 'zod';
import type { Addresses } from './client.ts';
import { askFirestore } from './firestore.ts';

/** The tenants that the running test file has made, and the addresses of their stacks. */
const made: { readonly baseUrl: string; readonly id: string }[] = [];

const TENANTS_OF_ROWS = { from: [{ collectionId: 'audit' }], select: { fields: [{ fieldPath: 'tenant_id' }] } };
const row = z.object({ name: z.string(), fields: z.object({ tenant_id: z.object({ stringValue: z.string() }) }) });
const answers = z.array(z.object({ document: row.optional() }));

/** Makes {@link forgetRows} delete the rows of a tenant. */
export function noteTenant({ baseUrl }: Addresses, id: string): void {
  made.push({ baseUrl, id });
}

/**
 * Deletes the audit rows of the tenants that a test file has made on the shared stack. To answer a query for one
 * tenant, Firestore's emulator reads the rows of all tenants. With 5,000 rows of other tenants, a query takes a third
 * of a second; with 20,000, more than two seconds.
 */
export async function forgetRows(): Promise<void> {
  const stack = inject('stack');
  const tenants = new Set(made.splice(0).flatMap(({ baseUrl, id }) => (baseUrl === stack?.baseUrl ? id : [])));
  if (tenants.size === 0) return;
  const selected = answers.parse(await askFirestore(stack, 'POST', ':runQuery', { structuredQuery: TENANTS_OF_ROWS }));
  const writes = selected
    .flatMap(({ document }) => document ?? [])
    .filter(({ fields }) => tenants.has(fields.tenant_id.stringValue))
    .map(({ name }) => ({ delete: name }));
  await askFirestore(stack, 'POST', ':commit', { writes });
}
