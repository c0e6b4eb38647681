import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { CATALOGUE, type ErrorCode } from '../errors.ts';
import { type Configured, refusalsWith } from './refusals.ts';
import type { Description } from './route.ts';

/** What the interface is called, and its version. */
export const INTERFACE = { title: 'Encryption Service', version: '0.8.0' } as const;

const REQUEST_ID = z.object({
  'x-request-id': z
    .string()
    .describe("the request's id")
    .meta({ header: { id: 'RequestId' } }),
});
const PATH_ID = z.object({ id: z.string().meta({ format: 'uuid' }) });

const errorFields = {
  message: z.string().describe('for people; do not parse'),
  request_id: z.string().describe('the x-request-id of the response'),
};
const capFields = {
  cap: z.int().optional().describe('with ops_cap_reached alone'),
  resets_at: z.iso.datetime().optional().describe('with ops_cap_reached alone'),
};
/** In JSON Schema alone: Zod would say it with a union of objects. */
const CAP_FIELDS_GO_WITH_THE_CODE = {
  if: { properties: { error: { const: 'ops_cap_reached' } } },
  // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
  then: { required: Object.keys(capFields) },
  else: { properties: { cap: false, resets_at: false } },
};

/** The OpenAPI 3.1 document of the routes, made from their own schemas and the codes that each can answer where this is configured. */
export function describeRoutes(routes: readonly Description[], configured: Configured): Record<string, unknown> {
  const errors = new ErrorResponses();
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const paths = [...byPath].map(([path, same]) => [
    path,
    Object.fromEntries(same.map((route) => [route.method.toLowerCase(), describeRoute(route, configured, errors)])),
  ]);
  return {
    ...createDocument({
      openapi: '3.1.0',
      info: {
        ...INTERFACE,
        description: 'A multi-tenant encryption service in front of a cloud KMS.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      paths: Object.fromEntries(paths),
      components: { securitySchemes: securitySchemes(configured) },
    }),
  };
}

function describeRoute(route: Description, configured: Configured, errors: ErrorResponses): ZodOpenApiOperationObject {
  const { id, summary, action, operation, path, body, query, statuses, answer } = route;
  const codes = refusalsWith(route.refuses, configured);
  const refused = Map.groupBy(codes, (code) => CATALOGUE[code].status);
  return {
    operationId: id,
    summary,
    ...(action && { 'x-action': action }),
    ...(operation && { 'x-audit-operation': operation }),
    security: security(route.credential, configured),
    requestParams: { ...(path.includes('{id}') && { path: PATH_ID }), ...(query && { query: query.partial() }) },
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: Object.fromEntries([
      ...statuses.map((status) => [status, success(answer)]),
      ...[...refused].map(([status, same]) => [status, errors.of(same)]),
    ]),
  };
}

function success(answer: z.ZodType | undefined): ZodOpenApiResponseObject {
  return answer === undefined ? { description: 'Done', headers: REQUEST_ID } : content('The answer', answer);
}

function content(description: string, schema: z.ZodType): ZodOpenApiResponseObject {
  return { description, headers: REQUEST_ID, content: { 'application/json': { schema } } };
}

/** The responses of a status that say exactly which codes may come with it. One of a single code is a component, named as the code. */
class ErrorResponses {
  readonly #made = new Map<string, ZodOpenApiResponseObject>();

  of(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
    const named = codes.join(' or ');
    const made = this.#made.get(named) ?? this.#make(codes, named);
    this.#made.set(named, made);
    return made;
  }

  #make(codes: readonly ErrorCode[], named: string): ZodOpenApiResponseObject {
    const response = content(named, errorAnswer(codes));
    return codes.length === 1 ? { ...response, id: named } : response;
  }
}

function errorAnswer(codes: readonly ErrorCode[]): z.ZodType {
  const fields = { error: z.enum(codes), ...errorFields };
  if (!codes.includes('ops_cap_reached')) return z.object(fields);
  return z.object({ ...fields, ...capFields }).meta(CAP_FIELDS_GO_WITH_THE_CODE);
}

function securitySchemes({ identity }: Configured) {
  const http = { type: 'http', scheme: 'bearer' } as const;
  const bearerAuth = { ...http, description: 'API key: esk_<prefix>_<secret>' };
  const consoleAuth = { ...http, bearerFormat: 'JWT', description: 'access token of the identity provider' };
  return identity === undefined ? { bearerAuth } : { bearerAuth, consoleAuth };
}

function security(credential: Description['credential'], { identity }: Configured): Record<string, string[]>[] {
  const bearer = { bearerAuth: [] };
  const console = { consoleAuth: [] };
  const schemes = {
    none: [],
    signature: [],
    api_key: [bearer],
    console: [console],
    person: [console],
    either: identity === undefined ? [bearer] : [bearer, console],
  };
  return schemes[credential];
}
