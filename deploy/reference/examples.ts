import type { Variable } from '../../console/src/pages/reference/reference.ts';
import { contentOf, type Found, type OpenApi, schemaOf } from './document.ts';

/**
 * The variables in the examples, which readers replace with their values. Each has an explanation. The names have no
 * `$`.
 */
const VARIABLES = {
  BASE: 'the address of the service: `http://127.0.0.1:8080` in the local stack',
  API_KEY: 'the token of an API key',
  SESSION: 'the access token of a signed-in person',
  KEY_ID: 'the ID of a key',
  NAME: 'the name of a key, percent-encoded',
  API_KEY_ID: 'the ID of an API key',
  CONTAINER: 'the ID of a container',
  FIREWALL: 'the ID of a firewall',
  MEMBER: 'the user ID of a member',
  INVITATION: 'the ID of an invitation',
  TOKEN: 'the token of an invitation',
  CIPHERTEXT: 'the ciphertext that `encrypt` returned; for Transit routes, the one that `transit_encrypt` returned',
  WRAPPED: 'the wrapped data key that `wrap` returned',
} as const;
type VariableName = keyof typeof VARIABLES;

export const variables: readonly Variable[] = Object.entries(VARIABLES).map(([name, meaning]) => ({ name, meaning }));

/** The variables for the ID or the name in a path, by the path's beginning. */
const IN_PATH: Readonly<Record<string, VariableName>> = {
  '/v1/keys/': 'KEY_ID',
  '/v1/api-keys/': 'API_KEY_ID',
  '/v1/containers/': 'CONTAINER',
  '/v1/firewalls/': 'FIREWALL',
  '/v1/members/': 'MEMBER',
  '/v1/invitations/': 'INVITATION',
};

/** A value in an example that the reader fills in. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    if (!Object.hasOwn(VARIABLES, name)) throw new Error(`no example is documented for ${name}`);
    this.name = name;
  }
}

/** The values of an example, by the name of the field. The value of a base64 field is its decoded bytes. */
export type Example = Readonly<Record<string, unknown>>;

export interface ExampleRequest {
  readonly inPath: Placeholder | undefined;
  readonly query: Example;
  readonly body: Example | undefined;
}

/**
 * Returns an example request. It has every required field, and every other field that has an example in the document.
 */
export function exampleOf(document: OpenApi, { path, operation }: Found): ExampleRequest {
  const [, start = '', parameter] = /^(.*?)\{(\w+)\}/.exec(path) ?? [];
  const inPath = parameter === undefined ? undefined : new Placeholder(IN_PATH[start] ?? 'NAME');
  const inQuery = operation.parameters.filter((one) => one.in === 'query');
  const query = inQuery.map(({ name, schema }) => [name, schemaOf(document, schema).examples?.[0]] as const);
  const body = contentOf(document, operation.requestBody ?? {})?.schema;
  return {
    inPath,
    query: Object.fromEntries(query.filter(([, value]) => value !== undefined)),
    body: body === undefined ? undefined : bodyOf(document, body),
  };
}

function bodyOf(document: OpenApi, part: unknown): Example {
  const { anyOf, properties = {}, required = [] } = schemaOf(document, part);
  if (anyOf !== undefined) return bodyOf(document, anyOf[0]);
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const schema = schemaOf(document, property);
    const example = [schema, ...(schema.anyOf ?? [])].map((one) => schemaOf(document, one).examples?.[0]);
    const value = example.find((one) => one !== undefined) ?? (required.includes(name) ? placeholder(name) : undefined);
    if (value === undefined) return [];
    return [[name, schema.format === 'byte' && typeof value === 'string' ? Buffer.from(value, 'base64') : value]];
  });
  return Object.fromEntries(fields);
}

/** Returns a variable with the field's name, for a required field that has no example. */
function placeholder(field: string): Placeholder {
  return new Placeholder(field.toUpperCase());
}
