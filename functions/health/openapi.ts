import { z } from 'zod';
import { needs } from '../needs.ts';

/** The first request of a process generates the document. Later requests get the same document. */
export const openApiRoute = needs('openApi').openRoute({
  id: 'openapi',
  path: '/v1/openapi.json',
  summary: 'Get this OpenAPI document',
  description: 'Returns the OpenAPI description of all operations of this deployment.',
  tag: 'Health',
  statuses: [200],
  answer: z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' }),
  respond: async ({ openApi }) => ({ status: 200, body: await openApi() }),
});
