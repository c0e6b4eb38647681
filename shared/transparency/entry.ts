import { canonicalJson } from './canonical-json.ts';

/** An audit event as the routes return it. */
export type Entry = Readonly<Record<string, unknown>>;

/** Returns an event's RFC 8785 JSON in UTF-8. Throws a `TypeError` if the event is not JSON with well-formed text. */
export function encodeEntry(entry: Entry): Uint8Array {
  return new TextEncoder().encode(canonicalJson(entry));
}
