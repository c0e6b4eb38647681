import { LocalReply } from './local-reply.ts';

const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/** A request target. `query` includes the question mark. */
export type Target = { readonly path: string; readonly query: string };

/**
 * Parses and normalizes a request target as Envoy does under ESPv2. Decodes escaped unreserved characters (RFC 3986
 * section 6.2.2), but not escaped slashes. Throws a {@link LocalReply} of 400 if the target has a fragment or no path.
 */
export function readTarget(target: string): Target {
  const bad = new LocalReply(400, 'Bad Request');
  if (target.includes('#')) throw bad;
  const [path = '', ...rest] = target.split('?');
  const query = target.includes('?') ? `?${rest.join('?')}` : '';
  const plain = path.replace(/^https?:\/\/[^/]+(\/|$)/i, '/').replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return UNRESERVED.test(character) ? character : escaped;
  });
  if (!plain.startsWith('/')) throw bad;
  return { path: new URL(`http://gateway${plain}`).pathname.replace(/\/{2,}/g, '/'), query };
}
