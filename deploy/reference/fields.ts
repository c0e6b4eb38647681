import { type Answer, ERROR_CODE, type Field } from '../../console/src/pages/reference/reference.ts';
import { contentOf, type DocumentedOperation, nameOf, type OpenApi, type Schema, schemaOf } from './document.ts';

/** The text that describes a type, and the name of the shared object to which this text links. */
type Typed = Pick<Field, 'type' | 'object'>;

/**
 * Describes the fields and types of schemas. The schemas in `shared` are only named; all others are described where
 * they are used.
 */
export class Describer {
  readonly #document: OpenApi;
  readonly #shared: ReadonlySet<string>;

  constructor(document: OpenApi, shared: ReadonlySet<string>) {
    this.#document = document;
    this.#shared = shared;
  }

  /** Returns the fields of an object, including nested fields. Their names are paths, such as `versions[].state`. */
  fields(part: unknown, at = ''): Field[] {
    const choices = this.#choices(part);
    const names = new Set(choices.flatMap((choice) => Object.keys(schemaOf(this.#document, choice).properties ?? {})));
    return [...names].flatMap((name) => {
      const having = choices.filter((choice) => schemaOf(this.#document, choice).properties?.[name] !== undefined);
      const [property] = having.map((choice) => schemaOf(this.#document, choice).properties?.[name]);
      const isRequired = (choice: unknown) => schemaOf(this.#document, choice).required?.includes(name) === true;
      const required = having.length === choices.length && having.every(isRequired);
      return this.field(`${at}${name}`, property, required);
    });
  }

  field(name: string, part: unknown, required: boolean): Field[] {
    const { description = '' } = schemaOf(this.#document, part);
    const own = { name, ...this.type(part), required, description };
    return [own, ...this.inside(part, name)];
  }

  /** Returns the fields of an object, or of the objects in a list. Returns no fields for a schema in `shared`. */
  inside(part: unknown, at = ''): Field[] {
    const { element, depth } = this.#element(part);
    return this.#isNamed(element) ? [] : this.fields(element, at && `${at}${'[]'.repeat(depth)}.`);
  }

  type(part: unknown): Typed {
    const name = nameOf(part);
    if (name !== undefined && this.#shared.has(name)) return { type: name, object: name };
    const { anyOf, ...schema } = schemaOf(this.#document, part);
    if (anyOf !== undefined) return this.#union(anyOf.map((choice) => this.type(choice)));
    if (Array.isArray(schema.type)) return this.#union(schema.type.map((type) => this.type({ ...schema, type })));
    const fallback = schema.default === undefined ? '' : `, by default ${literal(schema.default)}`;
    if (schema.type === 'array') {
      const of = this.type(schema.items);
      return { ...of, type: `list of ${of.type}${range(schema.minItems, schema.maxItems)}${fallback}` };
    }
    return { type: `${this.#plain(schema)}${fallback}` };
  }

  #union(types: readonly Typed[]): Typed {
    const object = types.find((one) => one.object !== undefined)?.object;
    const names = [...new Set(types.map(({ type }) => type))];
    const or = names.some((name) => name.includes(',')) ? ', or ' : ' or ';
    return { type: names.join(or), ...(object !== undefined && { object }) };
  }

  #plain(schema: Schema): string {
    if (schema.const !== undefined) return literal(schema.const);
    if (schema.enum !== undefined) return this.#enumeration(schema.enum);
    switch (schema.type) {
      case 'string':
        return text(schema);
      case 'integer':
      case 'number':
        return `integer${range(schema.minimum, schema.maximum)}`;
      case 'null':
        return '`null`';
      default:
        return schema.type === undefined ? 'any JSON' : String(schema.type);
    }
  }

  #enumeration(values: readonly unknown[]): string {
    const { enum: codes = [] } = schemaOf(this.#document, this.#document.components.schemas.ErrorCode);
    if (codes.length === values.length && codes.every((code) => values.includes(code))) return ERROR_CODE;
    return [...new Set(values.map(literal))].join(', ');
  }

  /** Returns the schema of the elements of a list, or of a list of lists. */
  #element(part: unknown, depth = 0): { readonly element: unknown; readonly depth: number } {
    if (this.#isNamed(part)) return { element: part, depth };
    const { anyOf = [part] } = schemaOf(this.#document, part);
    const list = anyOf.map((choice) => schemaOf(this.#document, choice)).find(({ type }) => type === 'array');
    return list === undefined ? { element: part, depth } : this.#element(list.items, depth + 1);
  }

  #isNamed(part: unknown): boolean {
    const { anyOf = [part] } = schemaOf(this.#document, part);
    return [part, ...anyOf].some((one) => this.#shared.has(nameOf(one) ?? ''));
  }

  /** Returns the object schemas to which a value may conform, including alternatives inside alternatives. */
  #choices(part: unknown): unknown[] {
    const { anyOf } = schemaOf(this.#document, part);
    if (anyOf === undefined) return 'properties' in schemaOf(this.#document, part) ? [part] : [];
    return anyOf.flatMap((choice) => this.#choices(choice));
  }
}

function text({ format, minLength, maxLength }: Schema): string {
  switch (format) {
    case 'uuid':
      return 'UUID';
    case 'date-time':
      return 'time';
    case 'date':
      return 'day';
    case 'byte':
      return `base64${range(minLength, maxLength, ' characters')}`;
    default:
      return `string${range(minLength, maxLength, ' characters')}`;
  }
}

/**
 * Returns the allowed range as text, such as `, 1 to 128 characters`. Returns an empty text if every safe integer is
 * allowed.
 */
function range(least: number | undefined, most: number | undefined, unit = ''): string {
  const bounded = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  const shown = (bound: number | undefined) => `${bound?.toLocaleString('en-US')}`;
  if (bounded(least) && bounded(most)) return `, ${shown(least)} to ${shown(most)}${unit}`;
  if (bounded(most)) return `, at most ${shown(most)}${unit}`;
  return bounded(least) ? `, at least ${shown(least)}${unit}` : '';
}

function literal(value: unknown): string {
  return `\`${value === '' ? '""' : value}\``;
}

/** Returns the field names of a successful answer, or an empty list if the answer is not one object. */
export function answerNames(document: OpenApi, { responses }: DocumentedOperation): string[] {
  const content = contentOf(document, successOf(responses)[1]);
  return content === undefined ? [] : Object.keys(schemaOf(document, content.schema).properties ?? {});
}

function successOf(responses: DocumentedOperation['responses']): [string, unknown] {
  return Object.entries(responses).find(([status]) => status.startsWith('2')) ?? ['', undefined];
}

/** Describes the successful answer of an operation. */
export function answerOf(document: OpenApi, describer: Describer, { responses }: DocumentedOperation): Answer {
  const [status, response] = successOf(responses);
  const content = contentOf(document, response);
  if (content === undefined) return { status, type: 'no body', fields: [] };
  const { description } = schemaOf(document, content.schema);
  const describedAs = description === undefined ? {} : { description };
  if (content.type === 'text/plain') return { status, type: 'text', ...describedAs, fields: [] };
  const fields = describer.inside(content.schema);
  const example = fields.length === 0 ? undefined : exampleAnswer(document, content.schema);
  return {
    status,
    ...describer.type(content.schema),
    ...describedAs,
    fields,
    ...(example !== undefined && { example }),
  };
}

/** Returns an example if the answer is an object or a list of objects. */
function exampleAnswer(document: OpenApi, part: unknown): string | undefined {
  const { examples, items } = schemaOf(document, part);
  if (examples !== undefined) return json(examples[0]);
  const [inList] = items === undefined ? [] : (schemaOf(document, items).examples ?? []);
  return inList === undefined ? undefined : json([inList]);
}

export function json(example: unknown): string {
  return JSON.stringify(example, null, 2);
}
