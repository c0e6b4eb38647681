import type { z } from 'zod';
import { ApiError } from '../errors.ts';
import { type InputReader, ignoreBody } from './input.ts';

/** A query's parameters by name, percent-decoded. */
export type Parameters = ReadonlyMap<string, string>;

/** Input from the query. `shape` describes the parameters; `parse` reads them; unknown ones are ignored. */
export function query<Input>(shape: z.ZodObject, parse: (parameters: Parameters) => Input): InputReader<Input> {
  return {
    query: shape,
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

/**
 * The parameters of a query string. Throws `invalid_query` when a name is repeated or an escape does not decode. A plus
 * sign is itself (RFC 3986), not a space as in forms, so that a time offset can be written as it is.
 */
function parseQuery(text: string): Parameters {
  const parameters = new Map<string, string>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const [name = '', ...rest] = pair.split('=').map(decode);
    if (parameters.has(name)) throw invalidQuery(`the parameter ${name} is repeated`);
    parameters.set(name, rest.join('='));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidQuery('the query string has an escape that does not decode');
  }
}
