/** Values for the examples: the service's base URL, and one of the person's keys, if any. */
export interface Own {
  readonly url: string;
  readonly key: { readonly id: string; readonly name: string } | undefined;
}

/** Returns a shell example with its variables replaced by the person's values. */
export function fillShell(example: string, { url, key }: Own): string {
  const filled = example.replaceAll(/\$BASE\b/g, url);
  if (key === undefined) return filled;
  return filled.replaceAll(/\$KEY\b/g, key.id).replaceAll(/\$NAME\b/g, () => encodeURIComponent(key.name));
}

/** Returns a library example with its key replaced by the person's key. */
export function fillLibrary(example: string, { key }: Own): string {
  return key === undefined ? example : example.replaceAll(/\bKEY\b/g, `'${key.id}'`);
}
