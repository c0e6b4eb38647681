import { readFileSync } from 'node:fs';
import { z } from 'zod';

const schemaObject = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  anyOf: z.array(z.unknown()).optional(),
});
export type Schema = z.output<typeof schemaObject>;

const content = z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })).optional() });
const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean().optional(),
  schema: z.unknown(),
});
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.tuple([z.string()]),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  'x-audit-operation': z.string().optional(),
  parameters: z.array(parameter).default([]),
  requestBody: content.optional(),
  responses: z.record(z.string(), z.unknown()),
});
export type DocumentedOperation = z.output<typeof operation>;

const documentObject = z.looseObject({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
export type OpenApi = z.output<typeof documentObject>;

export interface Found {
  readonly path: string;
  /** The methods of the operation. Vault clients send `PUT` where others send `POST`, so some operations have both. */
  readonly methods: readonly string[];
  readonly operation: DocumentedOperation;
}

/** The OpenAPI document of a deployment with every feature. */
export const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

/** Reads {@link DOCUMENT}. */
export function readDocument(): OpenApi {
  return documentObject.parse(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
}

/** Returns an OpenAPI document as JSON with one line for each operation and component. */
export function renderDocument({ paths, components, ...head }: Readonly<Record<string, unknown>>): string {
  const [start, end] = [jsonLines(head, 1), jsonLines({ paths, components }, 3)];
  return `${start.slice(0, -2)},${end.slice(1)}\n`;
}

/** Returns every operation, in the document's order. An operation that has two methods appears once. */
export function operationsOf({ paths }: OpenApi): Found[] {
  return Object.entries(paths).flatMap(([path, byMethod]) => {
    const all = Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), operation }));
    const byId = Map.groupBy(all, ({ operation }) => operation.operationId.replace(/_put$/, ''));
    return [...byId.values()].flatMap((same) =>
      same.slice(0, 1).map(({ operation }) => ({ path, methods: same.map(({ method }) => method), operation })),
    );
  });
}

/** Returns the name of the schema that a `$ref` points to. */
export function nameOf(part: unknown): string | undefined {
  return /^#\/components\/schemas\/(.+)$/.exec(String(Object(part).$ref))?.[1];
}

/**
 * Returns a schema with its `$ref` resolved. A description beside the `$ref` replaces the description in the schema.
 */
export function schemaOf(document: OpenApi, part: unknown): Schema {
  const name = nameOf(part);
  const own = schemaObject.parse(part);
  if (name === undefined) return own;
  const description = own.description === undefined ? {} : { description: own.description };
  return { ...schemaObject.parse(document.components.schemas[name]), ...description };
}

/** Returns the schema and the media type of a body or an answer, or `undefined` if it has no content. */
export function contentOf(document: OpenApi, part: unknown): { type: string; schema: unknown } | undefined {
  const [, name] = /^#\/components\/responses\/(.+)$/.exec(String(Object(part).$ref)) ?? [];
  const found = name === undefined ? part : Object(document.components.responses)[name];
  const [first] = Object.entries(content.parse(found).content ?? {});
  return first && { type: first[0], schema: first[1].schema };
}

/** Returns a value as JSON. The members of the first `levels` levels of objects each have their own line. */
export function jsonLines(value: unknown, levels: number, indent = ''): string {
  if (levels === 0) return JSON.stringify(value);
  const inner = `${indent}  `;
  const members = Object.entries(Object(value)).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${jsonLines(member, levels - 1, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}
