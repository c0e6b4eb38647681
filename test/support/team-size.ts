import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Addresses } from './client.ts';
import { patchDocument, readDocument } from './documents.ts';

const values = z.object({ arrayValue: z.object({ values: z.array(z.unknown()) }) });
const stored = z.object({ fields: z.object({ members: values, invitations: values }) });
const LIMIT = 100;

/**
 * Fills a tenant’s team directly in the store, up to 100 members and 100 usable invitations. The new members and
 * invitations are copies of the first member and the first invitation, with the role `auditor`.
 */
export async function fillTeam(stack: Addresses, tenantId: string): Promise<void> {
  await fillMembers(stack, tenantId, LIMIT);
  await fill(stack, tenantId, 'invitations', 'id', LIMIT);
}

/** Fills a tenant's team directly in the store, up to `count` members. */
export function fillMembers(stack: Addresses, tenantId: string, count: number): Promise<void> {
  return fill(stack, tenantId, 'members', 'user_id', count);
}

async function fill(
  stack: Addresses,
  tenantId: string,
  name: 'members' | 'invitations',
  id: 'user_id' | 'id',
  count: number,
): Promise<void> {
  const path = `teams/${tenantId}`;
  const { fields } = stored.parse(await readDocument(stack, path));
  const [first, ...others] = fields[name].arrayValue.values;
  const copies = Array.from({ length: count - others.length - 1 }, () => withId(first, id));
  await patchDocument(stack, path, name, { arrayValue: { values: [first, ...others, ...copies] } });
}

function withId(value: unknown, id: string): unknown {
  const { fields } = Object(Object(value).mapValue);
  const own = { [id]: { stringValue: randomUUID() }, role: { stringValue: 'auditor' } };
  return { mapValue: { fields: { ...fields, ...own } } };
}
