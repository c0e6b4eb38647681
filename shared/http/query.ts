import type { z } from 'zod';
import { type Id, parseId } from '../base/ids.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { type InputReader, ignoreBody } from './input.ts';

/** A query's parameters by name, percent-decoded. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * Input from the query. `shape` describes the parameters; `parse` reads them, and refuses with `invalid_query` and the codes
 * of `refuses`; unknown ones are ignored.
 */
export function query<Input>(
  shape: z.ZodObject,
  parse: (parameters: Parameters) => Input,
  refuses: readonly ErrorCode[] = [],
): InputReader<Input> {
  return {
    query: shape,
    refuses: ['invalid_query', ...refuses],
    async read({ message, query }) {
      ignoreBody(message);
      return parse(parseQuery(query));
    },
  };
}

/** `400 invalid_query` */
export function invalidQuery(message: string): ApiError {
  return new ApiError('invalid_query', message);
}

/** The id that a parameter spells, `undefined` where it is absent. Throws `invalid_query` when it is no UUID. */
export function parseIdParameter<T extends Id<string>>(parameters: Parameters, name: string): T | undefined {
  const text = parameters.get(name);
  const id = text === undefined ? undefined : parseId<T>(text);
  if (text !== undefined && id === undefined) throw invalidQuery(`${name} must be a UUID`);
  return id;
}

/** The query string of parameters, percent-encoded, in their order. */
export function renderQuery(parameters: Parameters): string {
  return [...parameters].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

/**
 * The parameters of a query string. Throws `invalid_query` when a name is repeated or an escape does not decode. A plus
 * sign is itself (RFC 3986), not a space as in forms, so that a time offset can be written as it is.
 */
function parseQuery(text: string): Parameters {
  const parameters = new Map<string, string>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const [name = '', ...rest] = pair.split('=').map(decode);
    if (parameters.has(name)) throw invalidQuery(`${name} must appear only once in the query string`);
    parameters.set(name, rest.join('='));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidQuery('the query string contains an invalid percent escape');
  }
}
