import { z } from 'zod';
import { describeRoutes } from '../../shared/http/openapi.ts';
import { openRoute } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';

/** The route that answers the OpenAPI document of every route. */
export function makeOpenApiRoute(every: () => Promise<readonly Route[]>): Route {
  const document = z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' });
  return openRoute({
    path: '/v1/openapi.json',
    summary: 'This document',
    statuses: [200],
    answer: document,
    respond: async () => ({
      status: 200,
      body: describeRoutes((await every()).map(({ description }) => description)),
    }),
  });
}
