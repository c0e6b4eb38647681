import type { z } from 'zod';
import { type Id, parseId } from '../base/ids.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { type InputReader, ignoreBody } from './input.ts';

export type Parameters = ReadonlyMap<string, string>;

/**
 * Returns a reader that reads the query with `parse`, which throws `invalid_query` or a code of `refuses`. `shape` is
 * only for the OpenAPI document.
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

export function invalidQuery(message: string): ApiError {
  return new ApiError('invalid_query', message);
}

/** Returns a parameter's id, or `undefined` if it is absent. Throws `invalid_query` unless it is a UUID. */
export function parseIdParameter<T extends Id<string>>(parameters: Parameters, name: string): T | undefined {
  const text = parameters.get(name);
  const id = text === undefined ? undefined : parseId<T>(text);
  if (text !== undefined && id === undefined) throw invalidQuery(`${name} must be a UUID`);
  return id;
}

export function renderQuery(parameters: Parameters): string {
  return [...parameters].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

/** Parses a query. Throws `invalid_query`. A plus sign is literal (RFC 3986), so time offsets need no escape. */
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
