/** The query of the next page, with its `?`, of a `Link` header (RFC 8288); `undefined` where there is no next page. */
export function nextPage(link: string | undefined): string | undefined {
  const links = [...(link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)];
  const [, target = ''] = links.find(([, , relation = '']) => /\brel="?next\b/.test(relation)) ?? [];
  // The path is the operation's own in any case, so that no answer can send the credential elsewhere.
  const at = target.indexOf('?');
  return at === -1 ? undefined : target.slice(at);
}
