/** Returns a value as JSON. The members of the first `levels` levels of objects each have their own line. */
export function jsonLines(value: unknown, levels: number, indent = ''): string {
  if (levels === 0) return JSON.stringify(value);
  const inner = `${indent}  `;
  const members = Object.entries(Object(value)).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${jsonLines(member, levels - 1, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}
