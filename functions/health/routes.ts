import type { Group } from '../../shared/http/group.ts';
import { liveRoute } from './live.ts';
import { openApiRoute } from './openapi.ts';
import { readyRoute } from './ready.ts';

/** The routes of the health checks and the OpenAPI document. */
export const health = { name: 'health', routes: [liveRoute, readyRoute, openApiRoute] } satisfies Group<never>;
