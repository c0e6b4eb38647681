import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { ADVICE } from '../error-advice.ts';
import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import { ACTION_OF, isOperation } from '../operations.ts';
import { ANSWER_EXAMPLES } from './answer-examples.ts';
import type { Dialect } from './dialect.ts';
import { type Configured, refusalsWith } from './feature.ts';
import { idText, nameField } from './fields.ts';
import { rolesOf } from './roles.ts';
import type { Description } from './route.ts';
import { TAGS } from './tags.ts';

export const INTERFACE = { title: 'Encryption Service', version: '0.8.0' } as const;

const REQUEST_ID = z.object({
  'x-request-id': z
    .string()
    .describe('The ID of the request.')
    .meta({ header: { id: 'RequestId' } }),
});
const PAGE_HEADERS = REQUEST_ID.extend({
  link: z
    .string()
    .optional()
    .describe('Present if there is a next page: its path and query, as `<...>; rel="next"` (RFC 8288).')
    .meta({ header: { id: 'NextPage' } }),
});
const CHALLENGE = REQUEST_ID.extend({
  'www-authenticate': z
    .literal('Bearer')
    .describe('The authentication scheme to use (RFC 9110 §11.6.1).')
    .meta({ header: { id: 'Challenge' } }),
});
const THINGS: Readonly<Record<string, string>> = {
  '/v1/keys/': 'key',
  '/v1/api-keys/': 'API key',
  '/v1/containers/': 'container',
  '/v1/firewalls/': 'firewall',
  '/v1/members/': 'user',
  '/v1/invitations/': 'invitation',
};
const KEY_NAME = z.object({ name: nameField.describe("Name of a key in the API key's container, percent-encoded.") });

/** Returns the OpenAPI 3.1 document of the routes, from their schemas and the codes possible in this deployment. */
export function describeRoutes(routes: readonly Description[], configured: Configured): Record<string, unknown> {
  const errors = new ErrorResponses();
  const tokenHeaders = [...new Set(routes.flatMap(({ dialect }) => dialect.tokenHeader ?? []))];
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const paths = [...byPath].map(([path, same]) => [
    path,
    Object.fromEntries(same.map((route) => [route.method.toLowerCase(), describeRoute(route, configured, errors)])),
  ]);
  const { components = {}, ...document } = createDocument({
    openapi: '3.1.0',
    info: {
      ...INTERFACE,
      description:
        'A multi-tenant encryption service in front of a cloud KMS. Timestamps are RFC 3339 in UTC, with microseconds.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths: Object.fromEntries(paths),
    components: {
      schemas: { ErrorCode: errorCodeSchema(configured) },
      securitySchemes: securitySchemes(configured, tokenHeaders),
    },
  });
  const schemas = Object.entries(components.schemas ?? {}).map(([name, schema]) => {
    const example = ANSWER_EXAMPLES[name];
    return [name, example === undefined || typeof schema !== 'object' ? schema : { ...schema, examples: [example] }];
  });
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

function tagsOf(routes: readonly Description[]) {
  const used = new Set<string>(routes.map(({ tag }) => tag));
  return Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? { name, description } : []));
}

function pathParameter(path: string): z.ZodObject | undefined {
  const [, start = '', name] = /^(.*?)\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return name === 'name' ? KEY_NAME : z.object({ id: idText.describe(`The ID of the ${THINGS[start]}.`) });
}

function errorCodeSchema(configured: Configured): z.ZodType {
  const codes = refusalsWith(ERROR_CODES, configured);
  return z.enum(codes).meta({
    description: 'Every error code, with its meaning and what to do.',
    oneOf: codes.map((code) => ({ const: code, description: `${ADVICE[code].meaning} ${ADVICE[code].action}` })),
  });
}

function describeRoute(route: Description, configured: Configured, errors: ErrorResponses): ZodOpenApiOperationObject {
  const {
    id,
    operation,
    dialect,
    summary,
    description,
    tag,
    path,
    body,
    isBodyOptional,
    query,
    statuses,
    answer,
    paged,
    plainText,
  } = route;
  const codes = refusalsWith(route.refuses, configured);
  const refused = Map.groupBy(codes, (code) => dialect.statusOf(code));
  const pathParameters = pathParameter(path);
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    ...(operation && { 'x-audit-operation': operation }),
    security: security(route, configured),
    requestParams: { ...(pathParameters && { path: pathParameters }), ...(query && { query: query.partial() }) },
    ...(body && { requestBody: { required: !isBodyOptional, content: { 'application/json': { schema: body } } } }),
    responses: Object.fromEntries([
      ...[...refused].map(([status, same]) => [status, errors.of(dialect, same)]),
      // Later entries replace earlier ones with the same status. The last one then describes a success and errors.
      ...statuses.map((status) => [status, success(answer, paged ? PAGE_HEADERS : REQUEST_ID, plainText)]),
      ...statuses
        .filter((status) => refused.has(status))
        .map((status) => [
          status,
          content('Error', z.union([answer, dialect.errorAnswer(refused.get(status) ?? [])].filter(isSchema))),
        ]),
    ]),
  };
}

function isSchema(schema: z.ZodType | undefined): schema is z.ZodType {
  return schema !== undefined;
}

function success(answer: z.ZodType | undefined, headers: z.ZodObject, plainText: boolean): ZodOpenApiResponseObject {
  if (answer === undefined) return { description: 'Success, without a body', headers };
  if (plainText) return { description: 'Success', headers, content: { 'text/plain': { schema: answer } } };
  return content('Success', answer, headers);
}

function content(description: string, schema: z.ZodType, headers: z.ZodObject = REQUEST_ID): ZodOpenApiResponseObject {
  return { description, headers, content: { 'application/json': { schema } } };
}

/** Makes the error responses, one for each status and set of codes. A response with one code is a named component. */
class ErrorResponses {
  readonly #made = new Map<string, ZodOpenApiResponseObject>();

  of(dialect: Dialect, codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
    const named = dialect.prefix + codes.join(' or ');
    const made = this.#made.get(named) ?? this.#make(dialect, codes, named);
    this.#made.set(named, made);
    return made;
  }

  #make(dialect: Dialect, codes: readonly ErrorCode[], named: string): ZodOpenApiResponseObject {
    const isChallenge = codes.some((code) => dialect.statusOf(code) === 401);
    const headers = isChallenge ? CHALLENGE : REQUEST_ID;
    const response = content(codes.join(' or '), dialect.errorAnswer(codes), headers);
    return codes.length === 1 ? { ...response, id: named } : response;
  }
}

function securitySchemes({ identity }: Configured, tokenHeaders: readonly string[]) {
  const http = { type: 'http', scheme: 'bearer' } as const;
  const bearerAuth = {
    ...http,
    description: 'API key, in the form `esk_<prefix>_<secret>`, or the ID token of a workload.',
  };
  const consoleAuth = { ...http, bearerFormat: 'JWT', description: 'Access token from the identity provider.' };
  const inHeaders = tokenHeaders.map((name) => {
    return [
      name,
      { type: 'apiKey', in: 'header', name, description: 'API key, the same as for `bearerAuth`.' } as const,
    ];
  });
  return { bearerAuth, ...(identity !== undefined && { consoleAuth }), ...Object.fromEntries(inHeaders) };
}

/** Returns the accepted credentials as alternatives, each with the action or role that it needs. */
function security(route: Description, { identity }: Configured): Record<string, string[]>[] {
  const { credential, dialect, operation } = route;
  const action = operation && isOperation(operation) ? ACTION_OF[operation] : null;
  const actions = action === null ? [] : [action];
  const bearer = { bearerAuth: actions };
  const persons = rolesOf(route)?.map((role) => ({ consoleAuth: [role] })) ?? [{ consoleAuth: [] }];
  const inHeader = dialect.tokenHeader === undefined ? [] : [{ [dialect.tokenHeader]: actions }];
  const schemes = {
    none: [],
    signature: [],
    api_key: [bearer, ...inHeader],
    console: persons,
    person: persons,
    either: identity === undefined ? [bearer] : [bearer, ...persons],
  };
  return schemes[credential];
}
