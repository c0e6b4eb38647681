/**
 * Returns a value's RFC 8785 JSON. Texts and numbers are as in `JSON.stringify` (§3.2.2), members are in the order of
 * UTF-16 code units (§3.2.3), the order of `sort`. Throws a `TypeError` for malformed Unicode (§3.2.2.2) and for what
 * JSON cannot express.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError('an audit event can contain only what JSON can express');
  const members = new Map<string, unknown>(Object.entries(value));
  const sorted = [...members.keys()].sort().map((name) => `${text(name)}:${canonicalJson(members.get(name))}`);
  return `{${sorted.join(',')}}`;
}

function text(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('an audit event can contain only well-formed text');
  return JSON.stringify(value);
}
