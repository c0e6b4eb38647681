/** What the examples are filled with: the service's address, and a key of the person's own where there is one. */
export interface Own {
  readonly url: string;
  readonly key: { readonly id: string; readonly name: string } | undefined;
}

/** A shell example with these values in place of its variables. */
export function fillShell(example: string, { url, key }: Own): string {
  const filled = example.replaceAll(/\$BASE\b/g, url);
  if (key === undefined) return filled;
  return filled.replaceAll(/\$KEY\b/g, key.id).replaceAll(/\$NAME\b/g, () => encodeURIComponent(key.name));
}

/** The same of an example for the library. */
export function fillLibrary(example: string, { key }: Own): string {
  return key === undefined ? example : example.replaceAll(/\bKEY\b/g, `'${key.id}'`);
}
