import { ROUTES } from '../api/generated.ts';
import { encodeBody, encodeQuery } from '../api/json.ts';
import type { OperationId } from '../types.ts';
import type { Input } from './input.ts';

/** A request as every attempt of a call sends it, but for the credential. */
export interface Prepared<Id extends OperationId> {
  readonly operation: Id;
  readonly method: string;
  /** From the service's address on. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  readonly body: string | undefined;
  readonly requestId: string;
}

/** Throws a `TypeError` for an input that cannot be sent. */
export function prepare<Id extends OperationId>(operation: Id, { id = '', body, query }: Input<Id>): Prepared<Id> {
  const route = ROUTES[operation];
  // In an address these are steps to another path.
  if (route.path.includes('{id}') && /^\.{0,2}$/.test(id)) throw new TypeError('id must not be empty, "." or ".."');
  return {
    operation,
    method: route.method,
    path: route.path.replace('{id}', () => encodeURIComponent(id)),
    query: encodeQuery(query),
    body: body === undefined ? undefined : encodeBody(body, route),
    requestId: crypto.randomUUID(),
  };
}
