import { Router } from 'itty-router';
import { ApiError, notFound } from '../shared/errors.ts';
import type { BoundRoute } from '../shared/http/route.ts';
import type { FindRoute, Found } from '../shared/http/routing.ts';

/**
 * Makes a router that matches only exact paths. A path with a trailing or double slash, a dot segment or an invalid
 * escape is `not_found`.
 */
export function makeRouter(routes: readonly BoundRoute[]): FindRoute {
  const router = Router();
  for (const [path, same] of exactFirst(Map.groupBy(routes, pattern))) {
    for (const route of same) router[verb(route)](path, ({ params }) => ({ route, pathId: params.at ?? '' }));
    router.all(path, () => {
      throw new ApiError('method_not_allowed', 'method not allowed', { allow: same.flatMap(allowed) });
    });
  }
  return async (method, path) => {
    if (!isExact(path)) throw notFound();
    const found: Found | undefined = await router.fetch({
      method: method === 'HEAD' ? 'GET' : method,
      url: `http://service${path}`,
    });
    if (found === undefined) throw notFound();
    return { route: found.route, pathId: decodeURIComponent(found.pathId) };
  };
}

/** Sorts paths without a parameter first, so that `accept` in `/v1/invitations/accept` is not read as an id. */
function exactFirst<Value>(byPath: ReadonlyMap<string, Value>): [string, Value][] {
  return [...byPath].toSorted(([one], [other]) => Number(one.includes(':')) - Number(other.includes(':')));
}

function verb({ description }: BoundRoute) {
  const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;
  return verbs[description.method];
}

function pattern({ description }: BoundRoute): string {
  return description.path.replace(/\{(?:id|name)\}/, ':at');
}

function allowed({ description: { method } }: BoundRoute): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Whether a path is in normal form. The router library would normalize other paths, and then match them. */
export function isExact(path: string): boolean {
  try {
    decodeURIComponent(path);
    return !path.endsWith('/') && !path.includes('//') && new URL(`http://service${path}`).pathname === path;
  } catch {
    return false;
  }
}
