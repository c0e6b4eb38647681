import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import { appendOnlyCollection, instantField } from '../store/collection.ts';
import type { Seal } from '../transparency/seal.ts';

/** A seal without its signed checkpoint. */
export const unsignedSeal = z.object({
  index: z.int().min(0),
  /** The period is `from <= ts < until`. */
  from: instantField,
  until: instantField,
  first_entry: z.int().min(0),
  entries: z.int().min(1),
  size: z.int().min(1),
  root: z.string(),
});
export type UnsignedSeal = z.output<typeof unsignedSeal>;

const storedSeal = unsignedSeal.extend({ tenant_id: idSchema<TenantId>(), checkpoint: z.string() });
export type StoredSeal = z.output<typeof storedSeal>;

/** `seals/{tenant id}_{index}`: created once, never changed. */
export const SEALS = appendOnlyCollection('seals', storedSeal);

export function sealId(tenantId: TenantId, index: number): string {
  return `${tenantId}_${index}`;
}

export const sealAnswer = z
  .object({
    index: z.int().describe('Position of this seal. The first is 0.'),
    from: z.iso.datetime().describe('Start of the time range that the seal covers.'),
    until: z.iso.datetime().describe('The seal covers events with `from <= ts < until`. The next seal starts here.'),
    first_entry: z.int().describe('Position of the first entry that this seal covers. The log starts at 0.'),
    entries: z.int().describe('Number of events that this seal covers.'),
    size: z.int().describe('Number of entries in the log up to and including this seal.'),
    root: z.string().describe('Root hash of the tree of the first `size` entries (RFC 9162), in base64.'),
    checkpoint: z.string().describe('Signed `size` and `root`, as a C2SP tlog-checkpoint.'),
  })
  .meta({ id: 'Seal' });

export function viewSeal({ from, until, tenant_id: _, ...rest }: StoredSeal): Seal {
  const { index, first_entry, entries, size, root, checkpoint } = rest;
  return { index, from: viewInstant(from), until: viewInstant(until), first_entry, entries, size, root, checkpoint };
}
