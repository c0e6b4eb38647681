import { z } from 'zod';
import { needs } from '../needs.ts';

export const openApiRoute = needs('openApi').openRoute({
  id: 'openapi',
  path: '/v1/openapi.json',
  summary: 'Get this OpenAPI document',
  description: 'Returns the OpenAPI description of all operations of this deployment.',
  tag: 'Health',
  statuses: [200],
  answer: z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' }),
  respond: async ({ openApi }) => ({ status: 200, json: await openApi() }),
});
