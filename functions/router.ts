import { Router } from 'itty-router';
import { ApiError, notFound } from '../shared/errors.ts';
import type { BoundRoute } from '../shared/http/route.ts';
import type { FindRoute, Found } from '../shared/http/serve.ts';

/** The path of a request about one thing by its id, in the form that nearly all have: nothing in it is to be decoded. */
const ABOUT_ID = /^(\/v1\/[a-z-]+\/)([0-9a-f-]{36})(\/[a-z-]+)?$/;

/** A router over the routes. Paths are exact: no trailing or doubled slash, no dot segment, no undecodable escape. */
export function makeRouter(routes: readonly BoundRoute[]): FindRoute {
  const byShape = new Map(routes.map((route) => [shapeOf(route.description.method, route.description.path), route]));
  const searched = searchPatterns(routes);
  return async (method, path) => {
    const [, before, pathId = '', after = ''] = ABOUT_ID.exec(path) ?? [];
    const route = before && byShape.get(shapeOf(method, `${before}{id}${after}`));
    return route ? { route, pathId } : searched(method, path);
  };
}

function shapeOf(method: string, path: string): string {
  return `${method} ${path}`;
}

/** Finds any route, by patterns. */
function searchPatterns(routes: readonly BoundRoute[]): FindRoute {
  const router = Router();
  for (const route of routes) router[verb(route)](pattern(route), ({ params }) => ({ route, pathId: params.at ?? '' }));
  for (const [path, methods] of methodsByPath(routes)) {
    router.all(path, () => {
      throw new ApiError('method_not_allowed', 'method not allowed', { allow: methods });
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

function verb({ description }: BoundRoute) {
  const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;
  return verbs[description.method];
}

function pattern({ description }: BoundRoute): string {
  return description.path.replace(/\{(?:id|name)\}/, ':at');
}

function methodsByPath(routes: readonly BoundRoute[]): Map<string, string[]> {
  const byPath = Map.groupBy(routes, pattern);
  return new Map([...byPath].map(([path, same]) => [path, same.flatMap(allowed)]));
}

function allowed({ description: { method } }: BoundRoute): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Whether a path can be a route's: the router normalizes what it is given, and what it would change is none. */
export function isExact(path: string): boolean {
  try {
    decodeURIComponent(path);
    return !path.endsWith('/') && !path.includes('//') && new URL(`http://service${path}`).pathname === path;
  } catch {
    return false;
  }
}
