/** An audit event as the routes show it: a flat object, each field a text or nothing. */
export type Entry = Readonly<Record<string, string | null>>;

/**
 * The bytes of an audit event in the log: its RFC 8785 JSON in UTF-8. For a flat object of texts and nulls that is
 * ECMAScript's own serialization (§3.2.2) with the fields in the order of their UTF-16 code units (§3.2.3), which is what
 * `sort` compares. Throws a `TypeError` for any other value, and for a text that is not valid Unicode, as §3.2.2.2 asks.
 */
export function encodeEntry(entry: Entry): Uint8Array {
  for (const text of Object.entries(entry).flat()) {
    if (text !== null && (typeof text !== 'string' || !text.isWellFormed())) {
      throw new TypeError('an audit event can contain only well-formed text and null');
    }
  }
  return new TextEncoder().encode(JSON.stringify(entry, Object.keys(entry).sort()));
}
