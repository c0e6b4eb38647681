import type { Group } from '../../shared/http/group.ts';
import { liveRoute } from './live.ts';
import { openApiRoute } from './openapi.ts';
import { readyRoute } from './ready.ts';

/** Health checks, and the document of every route. */
export const health: Group = { name: 'health', routes: [liveRoute, readyRoute, openApiRoute] };
