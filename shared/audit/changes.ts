import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FieldChange } from '../tenancy/changes.ts';
import { canonicalJson } from '../transparency/canonical-json.ts';

const LIMIT_BYTES = 16 * 1024;

const list = z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }));

/** The stored form is RFC 8785 JSON, because Firestore cannot store every JSON value unchanged. */
export const changesField = z.codec(z.string(), list, {
  decode(text, { issues }) {
    try {
      return list.parse(JSON.parse(text));
    } catch {
      issues.push({ code: 'custom', input: text, message: 'not a list of changes' });
      return z.NEVER;
    }
  },
  encode: canonicalJson,
});

/**
 * Returns the changes in at most 16 KiB of RFC 8785 JSON. If they are longer, replaces the longest values by their
 * SHA-256 and their number of members or characters, the longest first.
 */
export function withinLimit(changes: readonly FieldChange[]): FieldChange[] {
  const fitting = [...changes];
  const digested = new Set<unknown>();
  while (bytesOf(fitting) > LIMIT_BYTES) {
    const values = fitting.flatMap(({ before, after }, at) => [
      { at, side: 'before', value: before } as const,
      { at, side: 'after', value: after } as const,
    ]);
    const left = values.filter(({ value }) => !digested.has(value));
    const longest = left.reduce((most, one) => (bytesOf(one.value) > bytesOf(most.value) ? one : most));
    const digest = digestOf(longest.value);
    digested.add(digest);
    const change = fitting[longest.at];
    if (change !== undefined) fitting[longest.at] = { ...change, [longest.side]: digest };
  }
  return fitting;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(canonicalJson(value));
}

function digestOf(value: unknown): { readonly sha256: string; readonly count: number } {
  const sha256 = createHash('sha256').update(canonicalJson(value)).digest('hex');
  return { sha256, count: typeof value === 'string' ? [...value].length : Object.keys(Object(value)).length };
}
