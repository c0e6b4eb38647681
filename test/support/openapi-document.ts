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

const schemaObject = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  ...{ enum: z.array(z.unknown()).optional(), const: z.unknown().optional(), pattern: z.string().optional() },
  ...{ anyOf: z.array(z.unknown()).optional(), items: z.unknown().optional() },
  ...{ properties: z.record(z.string(), z.unknown()).optional(), required: z.array(z.string()).optional() },
  additionalProperties: z.unknown().optional(),
});

/**
 * Returns the differences between a value and a schema of the document, as lines. Checks types, constants, choices,
 * patterns, lists and fields. A missing field and an undocumented field are differences.
 */
export function fieldFaults(document: unknown, reference: unknown, value: unknown, at: string = '$'): string[] {
  const found = dereference(document, reference);
  if (found === undefined) return [`${at}: ${JSON.stringify(reference)} leads nowhere`];
  const schema = schemaObject.parse(found);
  if (schema.anyOf !== undefined) {
    const tried = schema.anyOf.map((choice) => fieldFaults(document, choice, value, at));
    return tried.some((faults) => faults.length === 0) ? [] : tried.flat();
  }
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return [`${at}: not ${types.join(' or ')}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at}: not one of ${schema.enum.join(', ')}`];
  if (schema.const !== undefined && schema.const !== value) return [`${at}: not ${schema.const}`];
  if (typeof value === 'string') {
    return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value) ? [] : [`${at}: ${value}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => fieldFaults(document, schema.items ?? {}, item, `${at}[${index}]`));
  }
  return typeof value === 'object' && value !== null ? objectFaults(document, schema, value, at) : [];
}

function objectFaults(document: unknown, schema: z.output<typeof schemaObject>, value: object, at: string): string[] {
  const properties = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const fields = Object.entries(value);
  const unnamed = (name: string) => !Object.hasOwn(properties, name) && isClosed(schema);
  return [
    ...missing.map((name) => `${at}.${name}: missing`),
    ...fields.filter(([name]) => unnamed(name)).map(([name]) => `${at}.${name}: not documented`),
    ...fields.flatMap(([name, field]) => fieldFaults(document, properties[name] ?? {}, field, `${at}.${name}`)),
  ];
}

/**
 * Returns whether a schema allows only the fields that it names. By default, a schema that names fields allows no
 * others.
 */
function isClosed({ additionalProperties, properties }: z.output<typeof schemaObject>): boolean {
  return additionalProperties === false || (additionalProperties === undefined && properties !== undefined);
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
