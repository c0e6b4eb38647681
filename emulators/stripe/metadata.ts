import * as z from 'zod';
import { invalidRequest } from './errors.ts';

/** An object's own key-value pairs. https://docs.stripe.com/api/metadata */
export type Metadata = Record<string, string>;

/** What a request says of metadata: keys to set, keys to unset with an empty value, or `''` to unset all. */
export const metadataParam = z.union([z.literal(''), z.record(z.string().max(40), z.string().max(500))]).optional();

/** The metadata after a request. Throws past 50 keys. */
export function changeMetadata(current: Metadata, change: z.output<typeof metadataParam>): Metadata {
  if (change === '') {
    return {};
  }
  const merged = Object.entries({ ...current, ...change }).filter(([, value]) => value !== '');
  if (merged.length > 50) {
    throw invalidRequest('Metadata can have at most 50 keys.', { param: 'metadata' });
  }
  return Object.fromEntries(merged);
}
