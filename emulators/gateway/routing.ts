import type { Backend, Operation } from './document.ts';
import { LocalReply } from './local-reply.ts';

/**
 * Returns the function to call for a method and a path. Throws a {@link LocalReply} of 404 or 405 if no operation
 * matches.
 */
type Routing = (method: string, path: string) => Backend;

/**
 * Makes a routing by path templates (https://docs.cloud.google.com/api-gateway/docs/path-templating). The most specific
 * template with the right method wins (esp-v2, src/go/configgenerator/route_generator.go).
 */
export function makeRouting(operations: readonly Operation[]): Routing {
  const ordered = operations
    .toSorted((one, other) => compare(one.template, other.template))
    .map((operation) => ({ ...operation, pattern: patternOf(operation.template) }));
  return (method, path) => {
    const matching = ordered.filter(({ pattern }) => pattern.test(path));
    const found = matching.find((operation) => operation.method === method);
    if (found !== undefined) return found.backend;
    const [known] = matching;
    if (known === undefined) throw new LocalReply(404, 'The current request is not defined by this API.');
    throw new LocalReply(
      405,
      `The current request is matched to the defined url template "${known.template}" but its http method is not allowed`,
    );
  };
}

/**
 * Returns a pattern for a path template. `{name}` and `{name=*}` match one segment, and `{name=**}` matches any number
 * of segments. A trailing slash is ignored.
 */
function patternOf(template: string): RegExp {
  const segments = template.split('/').map((segment) => {
    const patterns = [RegExp.escape(segment), '[^/]+', '.*'];
    return patterns[wildness(segment)];
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}

function wildness(segment: string): 0 | 1 | 2 {
  if (!segment.startsWith('{')) return 0;
  return segment.endsWith('=**}') ? 2 : 1;
}

function compare(one: string, other: string): number {
  const others = other.split('/').map(wildness);
  for (const [at, segment] of one.split('/').map(wildness).entries()) {
    const difference = segment - (others[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

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
