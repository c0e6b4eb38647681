import { ROUTES } from '../api/generated.ts';
import { encodeBody, encodeQuery } from '../api/json.ts';
import type { Body, OperationId, Query } from '../types.ts';

export interface Input<Id extends OperationId> {
  readonly id?: string;
  readonly body?: Body<Id>;
  readonly query?: Query<Id>;
}

/** A request without its credential, the same for every attempt. */
export interface Prepared<Id extends OperationId> {
  readonly operation: Id;
  readonly method: string;
  /** The path, relative to the service's address. */
  readonly path: string;
  /** The query with `?`, or an empty text. */
  readonly query: string;
  readonly body: string | undefined;
  readonly requestId: string;
}

/** Builds the request of an operation. Throws a `TypeError` for an invalid input. */
export function prepare<Id extends OperationId>(operation: Id, { id = '', body, query }: Input<Id>): Prepared<Id> {
  const route = ROUTES[operation];
  // With one of these ids, the URL would lead to another path.
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
