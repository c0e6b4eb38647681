/** Values to show in the examples: the service's base URL, and one of the person's keys if there is one. */
export interface Own {
  readonly url: string;
  readonly key: { readonly id: string; readonly name: string } | undefined;
}

/** Returns a shell example in which values of the person replace the variables. */
export function fillShell(example: string, { url, key }: Own): string {
  const filled = example.replaceAll(/\$BASE\b/g, url);
  if (key === undefined) return filled;
  return filled.replaceAll(/\$KEY_ID\b/g, key.id).replaceAll(/\$NAME\b/g, () => encodeURIComponent(key.name));
}

/** Returns a library example in which the id of the person's key replaces `KEY_ID`. */
export function fillLibrary(example: string, { key }: Own): string {
  return key === undefined ? example : example.replaceAll(/\bKEY_ID\b/g, `'${key.id}'`);
}
