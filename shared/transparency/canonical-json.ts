/**
 * Returns RFC 8785 JSON. `JSON.stringify` already writes texts and numbers as §3.2.2 requires; the members of objects
 * are in the order of UTF-16 code units (§3.2.3), the order of `sort`. Throws a `TypeError` for a value that is not JSON
 * and for malformed Unicode (§3.2.2.2).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError('expected JSON with well-formed text');
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
}
