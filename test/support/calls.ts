/** Returns the method of a call, which is a method and a path. */
export function methodOf(call: string): string {
  return call.split(' ')[0] ?? '';
}

/** Returns the path of a call, with `{id}` in place of an id and `{name}` in place of a name. */
export function pathOf(call: string): string {
  return call.split(' ')[1] ?? '';
}

/** Returns a path with an id or name filled in. */
export function fillPath(path: string, id: string): string {
  return path.replace(/\{(?:id|name)\}/, () => encodeURIComponent(id));
}
