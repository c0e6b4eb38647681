/**
 * Returns the query of the next page, with `?`, from a `Link` header (RFC 8288), or `undefined` if there is no next
 * page.
 */
export function nextPage(link: string | undefined): string | undefined {
  const links = [...(link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)];
  const [, target = ''] = links.find(([, , relation = '']) => /\brel="?next\b/.test(relation)) ?? [];
  // Use only the query, so that a response cannot send the credential to another address.
  const at = target.indexOf('?');
  return at === -1 ? undefined : target.slice(at);
}
