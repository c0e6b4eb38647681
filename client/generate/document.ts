import { z } from 'zod';

/** The OpenAPI document of a deployment with all features configured. */
export const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

const parameter = z.looseObject({ name: z.string(), in: z.string(), schema: z.unknown() });

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameter).optional(),
  requestBody: z.unknown().optional(),
  security: z.array(z.unknown()).optional(),
  responses: z.record(z.string(), z.unknown()),
});

/** The parts of an OpenAPI document that the generator uses. Parsing keeps all other parts unchanged. */
export const apiDocument = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

export type ApiDocument = z.output<typeof apiDocument>;
export type Operation = z.output<typeof operation>;

export interface Found {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/**
 * The paths that are not for clients: those for the payment provider, and those for programs that were written for
 * Vault's API.
 */
const NOT_FOR_CLIENTS = ['/v1/webhooks/', '/v1/transit/', '/v1/auth/'];

/** Returns every operation that is meant for clients, in the document's order. */
export function operationsOf({ paths }: ApiDocument): Found[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return all.filter(({ path }) => !NOT_FOR_CLIENTS.some((prefix) => path.startsWith(prefix)));
}

/** Returns the part of the document that a `$ref` points to (RFC 6901). Returns a part without a `$ref` unchanged. */
export function dereference(document: unknown, part: unknown): unknown {
  const reference = Object(part).$ref;
  if (typeof reference !== 'string') return part;
  const steps = reference.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => Object(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

const errorAnswer = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({ properties: z.object({ error: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
});

/** Returns the HTTP status of every error code that an operation can return, in alphabetical order of the codes. */
export function codesOf(document: ApiDocument): Record<string, number> {
  const answers = operationsOf(document).flatMap(({ operation }) => Object.entries(operation.responses));
  const codes = answers.flatMap(([status, answer]) => {
    const found = errorAnswer.safeParse(dereference(document, answer));
    const listed = found.data?.content['application/json'].schema.properties.error.enum ?? [];
    return listed.map((code): [string, number] => [code, Number(status)]);
  });
  return Object.fromEntries([...codes, ...EVERYWHERE].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The codes for an unknown path or an unsupported method. No operation in the document lists these codes. */
const EVERYWHERE: readonly [string, number][] = [
  ['not_found', 404],
  ['method_not_allowed', 405],
];

const oneOf = z.object({ enum: z.array(z.string()) });
const schemas = z.object({
  ApiKey: z.object({ properties: z.object({ allowed_actions: z.object({ items: oneOf }) }) }),
  AuditEvent: z.object({ properties: z.looseObject({ operation: oneOf }) }),
  Member: z.object({ properties: z.object({ role: oneOf }) }),
});

/** Returns the actions, the roles, and the operations and fields of audit events, in the document's order. */
export function constantsOf({ components }: ApiDocument) {
  const { ApiKey, AuditEvent, Member } = schemas.parse(components.schemas);
  return {
    actions: ApiKey.properties.allowed_actions.items.enum,
    roles: Member.properties.role.enum,
    operations: AuditEvent.properties.operation.enum,
    fields: Object.keys(Object(components.schemas.AuditEvent).properties),
  };
}

/** The names of the fields that hold bytes, of those that hold times, and of those that may hold any JSON. */
export interface Formats {
  readonly bytes: string[];
  readonly times: string[];
  readonly json: string[];
}

/**
 * Returns the names of the fields that hold bytes, times or any JSON in an operation's request and responses. Throws if
 * two fields with the same name have different formats, because the library converts fields by their name.
 */
export function formatsOf(document: ApiDocument, operation: Operation): Formats {
  const formats = new Map<string, Set<string>>();
  const visit = (part: unknown, name: string) => {
    const schema = Object(dereference(document, part));
    if (name !== '' && isAnyJson(schema)) formats.set(name, (formats.get(name) ?? new Set()).add(ANY_JSON));
    if (schema.type === 'string') formats.set(name, (formats.get(name) ?? new Set()).add(String(schema.format)));
    for (const choice of [schema.anyOf ?? [], schema.oneOf ?? [], schema.allOf ?? []].flat()) visit(choice, name);
    if (schema.items !== undefined) visit(schema.items, name);
    for (const [field, inner] of Object.entries(schema.properties ?? {})) visit(inner, field);
  };
  for (const body of [operation.requestBody, ...successes(operation).map(([, answer]) => answer)]) {
    visit(Object(dereference(document, body)).content?.['application/json']?.schema, '');
  }
  const named = (format: string) => [...formats].filter(([, held]) => held.has(format)).map(([name]) => name);
  const [bytes, times, json] = [named('byte'), named('date-time'), named(ANY_JSON)];
  const mixed = [...bytes, ...times, ...json].filter((name) => (formats.get(name)?.size ?? 0) > 1);
  if (mixed.length > 0)
    throw new Error(`${operation.operationId}: fields named ${mixed.join(', ')} have different formats`);
  return { bytes, times, json };
}

const ANY_JSON = 'any JSON';

/** Whether a schema says nothing about the values that it allows, or callers choose the names of the members. */
function isAnyJson(schema: Readonly<Record<string, unknown>>): boolean {
  if (schema.additionalProperties instanceof Object) return true;
  return Object.keys(schema).every((keyword) => ['description', 'examples'].includes(keyword));
}

/** Returns the successful responses of an operation, each with its status. */
export function successes({ responses }: Operation): [string, unknown][] {
  return Object.entries(responses).filter(([status]) => status.startsWith('2'));
}

/** Returns whether an operation responds with plain text. */
export function isPlainText(document: ApiDocument, operation: Operation): boolean {
  return successes(operation).some(
    ([, answer]) => 'text/plain' in Object(Object(dereference(document, answer)).content),
  );
}

/** Returns the statuses whose body is the operation's result: successes, and other responses with the same schema. */
export function statusesOf(document: ApiDocument, operation: Operation): number[] {
  const shapeOf = (answer: unknown) => JSON.stringify(Object(dereference(document, answer)).content);
  const shapes = successes(operation).map(([, answer]) => shapeOf(answer));
  const same = Object.entries(operation.responses).filter(([, answer]) => shapes.includes(shapeOf(answer)));
  return same.map(([status]) => Number(status));
}
