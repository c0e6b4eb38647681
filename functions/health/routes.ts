import type { Route } from '../../shared/http/route.ts';
import { liveRoute } from './live.ts';
import { makeOpenApiRoute } from './openapi.ts';
import { readyRoute } from './ready.ts';

/** Health checks, and the document of every route; `every` is asked for them, these included, when the document is. */
export function healthRoutes(every: () => Promise<readonly Route[]>): readonly Route[] {
  return [liveRoute, readyRoute, makeOpenApiRoute(every)];
}
