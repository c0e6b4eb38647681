import { z } from 'zod';
import { CATALOGUE, ERROR_CODES } from '../errors.ts';
import type { Description } from './route.ts';

const errorAnswer = z
  .object({
    error: z.enum(ERROR_CODES),
    message: z.string().describe('for people; do not parse'),
    request_id: z.string().describe('the x-request-id of the response'),
    cap: z.int().optional().describe('with ops_cap_reached alone'),
    resets_at: z.iso.datetime().optional().describe('with ops_cap_reached alone'),
  })
  .meta({ id: 'Error' });

/** The OpenAPI 3.1 document of the routes, made from their own schemas. */
export function describeRoutes(routes: readonly Description[]): Record<string, unknown> {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const paths = Object.fromEntries(
    [...byPath].map(([path, same]) => [
      path,
      Object.fromEntries(same.map((route) => [route.method.toLowerCase(), describeRoute(route)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Encryption Service',
      version: '0.8.0',
      description: 'A multi-tenant encryption service in front of a cloud KMS.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', description: 'API key: esk_<prefix>_<secret>' },
        consoleAuth: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'access token of the identity provider',
        },
      },
      headers: { RequestId: { description: "the request's id", schema: { type: 'string' }, required: true } },
      responses: { Error: content('An error of the catalogue', toSchema(errorAnswer, 'output')) },
    },
  };
}

function describeRoute(route: Description): Record<string, unknown> {
  const { action, operation } = route;
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(action && { 'x-action': action }),
    ...(operation && { 'x-audit-operation': operation }),
    security: security(route.credential),
    parameters: [...(route.path.includes('{id}') ? [PATH_ID] : []), ...describeQuery(route.query)],
    ...(route.body && {
      requestBody: { required: true, content: { 'application/json': { schema: toSchema(route.body, 'input') } } },
    }),
    responses: {
      ...Object.fromEntries(route.statuses.map((status) => [status, success(route)])),
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, { $ref: '#/components/responses/Error' }])),
    },
  };
}

const HEADERS = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
const PATH_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };

function describeQuery(query: z.ZodObject | undefined) {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: toSchema(z.any().pipe(schema), 'output'),
  }));
}

function content(description: string, schema: unknown) {
  return { description, headers: HEADERS, content: { 'application/json': { schema } } };
}

function success({ answer }: Description) {
  return answer === undefined
    ? { description: 'Done', headers: HEADERS }
    : content('The answer', toSchema(answer, 'output'));
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema, id, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest;
}

function operationId({ method, path }: Description): string {
  const words = path
    .replace(/^\/(v1\/)?/, '')
    .replace('{id}', 'one')
    .split(/[^a-z0-9]+/);
  return [method.toLowerCase(), ...words].filter((word) => word !== '').join('_');
}

function security(credential: Description['credential']): Record<string, never[]>[] {
  const bearer = { bearerAuth: [] };
  const console = { consoleAuth: [] };
  const schemes = { none: [], api_key: [bearer], console: [console], person: [console], either: [bearer, console] };
  return schemes[credential];
}

/** The statuses of the catalogue that a route of this kind can answer. */
function errorStatuses({ credential, body, statuses: answered }: Description): number[] {
  const statuses = new Set<number>(ERROR_CODES.map((code) => CATALOGUE[code].status));
  statuses.delete(405);
  if (body === undefined) for (const status of [413, 415]) statuses.delete(status);
  const possible = credential === 'none' ? [500] : [...statuses].sort();
  return possible.filter((status) => !answered.includes(status));
}
