import { z } from 'zod';

const parameter = z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional() });
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameter).optional(),
  responses: z.record(z.string(), z.unknown()),
});

/** The parts of an OpenAPI document that tests read. Parsing keeps all other parts. */
export const documentObject = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

/**
 * Returns the part of the document to which a reference (a JSON pointer, RFC 6901) points; `undefined` if nothing is
 * there. Returns a `part` that is not a reference unchanged.
 */
export function dereference(document: unknown, part: unknown): unknown {
  const ref = typeof part === 'string' ? part : Object(part).$ref;
  if (typeof ref !== 'string') return part;
  if (!ref.startsWith('#/')) return undefined;
  const steps = ref
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>(
    (at, step) => (Object.hasOwn(Object(at), step) ? Object(at)[step] : undefined),
    document,
  );
}

const errorResponse = z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) });
const alternatives = z.object({ anyOf: z.array(z.unknown()) });
const ownError = z.object({ properties: z.object({ error: z.object({ enum: z.array(z.string()) }) }) });
const vaultError = z.object({
  properties: z.object({ errors: z.object({ items: z.object({ pattern: z.string() }) }) }),
});

/** Returns the error codes in the schemas of an operation's responses. */
export function codesIn(document: unknown, responses: Readonly<Record<string, unknown>>): string[] {
  return Object.values(responses).flatMap((response) => {
    const found = errorResponse.safeParse(dereference(document, response));
    return codesOf(found.data?.content['application/json'].schema);
  });
}

function codesOf(schema: unknown): string[] {
  const several = alternatives.safeParse(schema);
  if (several.success) return several.data.anyOf.flatMap(codesOf);
  const own = ownError.safeParse(schema);
  if (own.success) return own.data.properties.error.enum;
  const [, codes] =
    /^\^\(\?:(.*)\): $/.exec(vaultError.safeParse(schema).data?.properties.errors.items.pattern ?? '') ?? [];
  return codes?.split('|') ?? [];
}

const schemaObject = z.record(z.string(), z.unknown());

/**
 * Returns the differences between a value and a schema of the document, as lines. A missing field and an undocumented
 * field are differences. Throws a `ZodError` if a reference leads nowhere.
 */
export function fieldFaults(document: unknown, schema: unknown, value: unknown, at: string = '$'): string[] {
  const { error } = z.fromJSONSchema(schemaObject.parse(inlined(document, schema))).safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${[at, ...path].join('.')}: ${message}`);
}

/** Replaces all references in a schema, and leaves out conditions, because `fromJSONSchema` supports neither. */
function inlined(document: unknown, schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => inlined(document, one));
  const parts = Object.entries(schemaObject.parse(dereference(document, schema)));
  const supported = parts.filter(([name]) => !['if', 'then', 'else'].includes(name));
  return Object.fromEntries(supported.map(([name, part]) => [name, inlined(document, part)]));
}
