import { z } from 'zod';
import { CATALOGUE, ERROR_CODES } from '../errors.ts';
import type { Description } from './route.ts';

type Schema = Record<string, unknown>;
type Schemas = Record<string, Schema>;

const schemaOf = z.looseObject({ $defs: z.record(z.string(), z.record(z.string(), z.unknown())).optional() });

const errorAnswer = z
  .object({
    error: z.enum(ERROR_CODES),
    message: z.string().describe('for people; do not parse'),
    request_id: z.string().describe('the x-request-id of the response'),
    cap: z.int().optional().describe('with ops_cap_reached alone'),
    resets_at: z.iso.datetime().optional().describe('with ops_cap_reached alone'),
  })
  .meta({ id: 'Error' });

/** What the interface is called, and its version. */
export const INTERFACE = { title: 'Encryption Service', version: '0.8.0' } as const;

/** The OpenAPI 3.1 document of the routes, made from their own schemas. */
export function describeRoutes(routes: readonly Description[]): Record<string, unknown> {
  const schemas: Schemas = {};
  const error = content('An error of the catalogue', toSchema(errorAnswer, 'output', schemas));
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const paths = Object.fromEntries(
    [...byPath].map(([path, same]) => [
      path,
      Object.fromEntries(same.map((route) => [route.method.toLowerCase(), describeRoute(route, schemas)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      ...INTERFACE,
      description: 'A multi-tenant encryption service in front of a cloud KMS.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas,
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
      responses: { Error: error },
    },
  };
}

function describeRoute(route: Description, schemas: Schemas): Record<string, unknown> {
  const { action, operation } = route;
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(action && { 'x-action': action }),
    ...(operation && { 'x-audit-operation': operation }),
    security: security(route.credential),
    parameters: [...(route.path.includes('{id}') ? [PATH_ID] : []), ...describeQuery(route.query, schemas)],
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toSchema(route.body, 'input', schemas) } },
      },
    }),
    responses: {
      ...Object.fromEntries(route.statuses.map((status) => [status, success(route, schemas)])),
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, { $ref: '#/components/responses/Error' }])),
    },
  };
}

const HEADERS = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
const PATH_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };

function describeQuery(query: z.ZodObject | undefined, schemas: Schemas) {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: toSchema(z.any().pipe(schema), 'output', schemas),
  }));
}

function content(description: string, schema: unknown) {
  return { description, headers: HEADERS, content: { 'application/json': { schema } } };
}

function success({ answer }: Description, schemas: Schemas) {
  return answer === undefined
    ? { description: 'Done', headers: HEADERS }
    : content('The answer', toSchema(answer, 'output', schemas));
}

/** A schema in JSON Schema. What has a name goes among the components and is referred to. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): Schema {
  const { $schema, $defs, ...own } = schemaOf.parse(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }));
  const named = own.id;
  if (typeof named !== 'string') return addDefinitions(own, $defs, schemas);
  schemas[named] = addDefinitions(own, $defs, schemas);
  return { $ref: `#/components/schemas/${named}` };
}

function addDefinitions({ id, ...own }: Schema, definitions: Schemas = {}, schemas: Schemas): Schema {
  for (const [name, definition] of Object.entries(definitions)) schemas[name] = addDefinitions(definition, {}, schemas);
  return schemaOf.parse(JSON.parse(JSON.stringify(own).replaceAll('"#/$defs/', '"#/components/schemas/')));
}

/** The name of a route's operation in the documents that describe it, unique among them. */
export function operationId({ method, path }: Description): string {
  const words = path
    .replace(/^\/(v1\/)?/, '')
    .replace('{id}', 'one')
    .split(/[^a-z0-9]+/);
  return [method.toLowerCase(), ...words].filter((word) => word !== '').join('_');
}

function security(credential: Description['credential']): Record<string, never[]>[] {
  const bearer = { bearerAuth: [] };
  const console = { consoleAuth: [] };
  const schemes = {
    none: [],
    signature: [],
    api_key: [bearer],
    console: [console],
    person: [console],
    either: [bearer, console],
  };
  return schemes[credential];
}

/** The statuses of the catalogue that a route of this kind can answer besides its own. */
function errorStatuses({ credential, body, statuses: answered }: Description): number[] {
  return possibleStatuses(credential, body !== undefined).filter((status) => !answered.includes(status));
}

function possibleStatuses(credential: Description['credential'], takesBody: boolean): number[] {
  if (credential === 'none') return [500];
  if (credential === 'signature') return [400, 413, 500, 503];
  const statuses = new Set<number>(ERROR_CODES.map((code) => CATALOGUE[code].status));
  statuses.delete(405);
  if (!takesBody) for (const status of [413, 415]) statuses.delete(status);
  return [...statuses].sort();
}
