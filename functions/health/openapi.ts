import { z } from 'zod';
import { openRoute } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';

/** The route that answers the OpenAPI document, which is made when it is first asked for. */
export function makeOpenApiRoute(describe: () => Promise<Record<string, unknown>>): Route {
  const answer = z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' });
  let document: Promise<Record<string, unknown>> | undefined;
  return openRoute({
    id: 'openapi',
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
