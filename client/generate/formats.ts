import { type ApiDocument, dereference, type Operation } from './document.ts';

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
