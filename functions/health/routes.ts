import type { Route } from '../../shared/http/route.ts';
import { liveRoute } from './live.ts';
import { type OpenApiNeeds, openApiRoute } from './openapi.ts';
import { type ReadyNeeds, readyRoute } from './ready.ts';

/** Health checks, and the document of every route, these included. */
export const healthRoutes: readonly Route<ReadyNeeds & OpenApiNeeds>[] = [liveRoute, readyRoute, openApiRoute];
