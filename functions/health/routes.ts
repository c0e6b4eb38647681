import type { Route } from '../../shared/http/route.ts';
import { liveRoute } from './live.ts';
import { makeOpenApiRoute } from './openapi.ts';
import { readyRoute } from './ready.ts';

/** Health checks, and the document of every route, these included, which `describe` makes when it is asked for. */
export function healthRoutes(describe: () => Promise<Record<string, unknown>>): readonly Route[] {
  return [liveRoute, readyRoute, makeOpenApiRoute(describe)];
}
