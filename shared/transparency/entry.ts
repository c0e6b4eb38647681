/** An audit event as the routes return it. */
export type Entry = Readonly<Record<string, string | null>>;

/**
 * Returns an event's RFC 8785 JSON in UTF-8. For a flat object of texts and nulls, this is `JSON.stringify` (§3.2.2)
 * with fields in the order of UTF-16 code units (§3.2.3), the order of `sort`. Throws a `TypeError` for other values
 * and malformed Unicode (§3.2.2.2).
 */
export function encodeEntry(entry: Entry): Uint8Array {
  for (const text of Object.entries(entry).flat()) {
    if (text !== null && (typeof text !== 'string' || !text.isWellFormed())) {
      throw new TypeError('an audit event can contain only well-formed text and null');
    }
  }
  return new TextEncoder().encode(JSON.stringify(entry, Object.keys(entry).sort()));
}
