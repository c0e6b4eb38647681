import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Gate } from '../base/gate.ts';
import type { Env } from '../env.ts';
import { ApiError, toApiError } from '../errors.ts';
import { admitOrigin, admitPreflight, isFromConsole, isPreflight } from './cors.ts';
import { requestId } from './request-id.ts';
import { sendError, sendReply } from './respond.ts';
import type { Route } from './route.ts';

/**
 * Several times what keeps every part busy: more would only wait longer, and hold memory. Deployed, the platform holds
 * each instance to fewer.
 */
const REQUESTS_IN_FLIGHT = 512;

/** Finds the route of a method and a path. Throws `not_found` or `method_not_allowed`. */
export type FindRoute = (method: string, path: string) => Promise<{ readonly route: Route; readonly pathId: string }>;

/** What answers every request of a process: steps 1 and 2 of the order of checks, then the route, then the response and its log line. */
export function makeListener(env: Env, findRoute: FindRoute): RequestListener {
  const inFlight = new Gate(REQUESTS_IN_FLIGHT);
  return async (message, response) => {
    const startedAt = performance.now();
    const id = requestId(message.headers['x-request-id']);
    const { consoleOrigin } = env.config;
    if (consoleOrigin !== undefined && isFromConsole(message, consoleOrigin)) admitOrigin(response, consoleOrigin);
    let failure: ApiError | undefined;
    try {
      refuseUnclearHost(message);
      const [path = '', query = ''] = splitTarget(message.url ?? '');
      const { route, pathId } = await findRoute(message.method ?? '', path);
      const answer = () => route.respond(env, { id, query, pathId, message });
      const reply = await (route.description.credential === 'none' ? answer() : inFlight.enter(answer, tooBusy));
      sendReply(message, response, id, reply);
    } catch (thrown) {
      failure = toApiError(thrown);
      if (failure.code === 'method_not_allowed' && isAdmittedPreflight(env, message)) {
        admitPreflight(response, failure.details.allow ?? []);
        sendReply(message, response, id, { status: 204 });
      } else {
        sendError(message, response, id, failure);
      }
    }
    logRequest(env, message, response, id, performance.now() - startedAt, failure);
  };
}

/** The path and the query as sent. An absolute target (RFC 9112 §3.2.2) is not a path and so not a route. */
function splitTarget(target: string): [string, string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** RFC 9112 §3.2 asks for a 400: without a host, and with more than one. */
function refuseUnclearHost({ httpVersion, headersDistinct }: IncomingMessage): void {
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw new ApiError('invalid_request', 'the request must name one host');
  }
}

function isAdmittedPreflight(env: Env, message: IncomingMessage): boolean {
  return isPreflight(message) && isFromConsole(message, env.config.consoleOrigin);
}

function logRequest(
  env: Env,
  message: IncomingMessage,
  response: ServerResponse,
  id: string,
  tookMs: number,
  failure: ApiError | undefined,
): void {
  const failed = failure !== undefined && failure.status >= 500;
  env.log.write(
    failed ? 'ERROR' : 'INFO',
    'request',
    {
      request_id: id,
      method: message.method,
      status: response.statusCode,
      code: failure?.code,
      took_ms: Math.round(tookMs * 10) / 10,
    },
    failed ? failure : undefined,
  );
}

function tooBusy(): ApiError {
  return new ApiError('unavailable', 'too many requests in flight');
}
