const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

interface Open {
  /** The names so far, or `undefined` for an array. */
  readonly names: Set<string> | undefined;
  name: string;
  expectsName: boolean;
}

/**
 * Whether an object in a JSON text has two members with one name. `JSON.parse` keeps the last of them, other parsers the
 * first. The text must be valid JSON. `within` looks only inside this member of the outermost object.
 */
export function repeatsMember(text: string, within?: string): boolean {
  const open: Open[] = [];
  for (const token of tokensOf(text)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ names: new Set(), name: '', expectsName: true });
    else if (token === '[') open.push({ names: undefined, name: '', expectsName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (inner?.names === undefined) continue;
    else if (token === ',') inner.expectsName = true;
    else if (inner.expectsName) {
      inner.expectsName = false;
      inner.name = String(JSON.parse(token));
      const isInside = within === undefined || (open.length > 1 && open[0]?.name === within);
      if (isInside && inner.names.has(inner.name)) return true;
      inner.names.add(inner.name);
    }
  }
  return false;
}

/** Whether all names and texts of a JSON text are well-formed Unicode. Escapes can make surrogates without a partner. */
export function isWellFormedJson(text: string): boolean {
  if (!SURROGATE_ESCAPE.test(text)) return true;
  // Not with `every`, because `esk` includes this file and Node 20 has no iterator helpers.
  for (const token of tokensOf(text))
    if (token.startsWith('"') && !String(JSON.parse(token)).isWellFormed()) return false;
  return true;
}

/** Yields strings, brackets and commas. Skips all else, because only names and nesting matter. */
function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const start = at;
      for (at++; at < text.length && text.charAt(at) !== '"'; at++) if (text.charAt(at) === '\\') at++;
      yield text.slice(start, at + 1);
    } else if ('{}[],'.includes(character)) {
      yield character;
    }
  }
}
