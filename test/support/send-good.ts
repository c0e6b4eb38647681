import { fillPath, methodOf, pathOf } from './calls.ts';
import { type Answer, send } from './client.ts';
import type { Client } from './tenant.ts';

/** The parts of a valid request besides its method and path. */
export interface GoodRequest {
  /** The id or name in the path. The object was made for this request. */
  readonly id?: string;
  /** The id of the key, if the path has its name. */
  readonly keyId?: string;
  readonly query?: string;
  readonly body?: unknown;
}

/** Sends the valid request for a route (`call`) with the client's credential. */
export function sendGood(
  client: Client,
  call: string,
  requests: Readonly<Record<string, GoodRequest>>,
): Promise<Answer> {
  const { id = '', query = '', body } = requests[call] ?? {};
  const url = `${client.stack.baseUrl}${fillPath(pathOf(call), id)}${query}`;
  return send(methodOf(call), url, { token: client.token, body });
}
