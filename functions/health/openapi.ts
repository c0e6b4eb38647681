import { z } from 'zod';
import { describeRoutes } from '../../shared/http/openapi.ts';
import { openRoute } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';

/** The route that answers the OpenAPI document of every route, which is made when it is first asked for. */
export function makeOpenApiRoute(every: () => Promise<readonly Route[]>): Route {
  const answer = z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' });
  let document: Promise<Record<string, unknown>> | undefined;
  const describe = async () => describeRoutes((await every()).map(({ description }) => description));
  return openRoute({
    path: '/v1/openapi.json',
    summary: 'This document',
    statuses: [200],
    answer,
    async respond() {
      document ??= describe();
      return { status: 200, body: await document };
    },
  });
}
