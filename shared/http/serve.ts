import type { IncomingMessage, RequestListener } from 'node:http';
import { Shares } from '../auth/shares.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import type { Log, LogFields } from '../base/log.ts';
import type { Config } from '../config.ts';
import { ApiError, toApiError } from '../errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { admitOrigin, admitPreflight, isFromConsole, isPreflight } from './cors.ts';
import { type Dialect, dialectOf, NATIVE } from './dialect.ts';
import { clientAddress, presentedCredential } from './request.ts';
import { requestId } from './request-id.ts';
import { sendError, sendReply } from './respond.ts';
import type { BoundRoute } from './route.ts';
import { traceFields } from './trace.ts';

/**
 * Many times what keeps every part busy: more would only wait longer, and hold memory. One sender has a share of them
 * (shares.ts). Deployed, the platform holds each instance to fewer.
 */
const REQUESTS_IN_FLIGHT = 2_048;

/** A route that was found, and the id or name in its path, percent-decoded: empty where the path has none. */
export interface Found {
  readonly route: BoundRoute;
  readonly pathId: string;
}

/** Finds the route of a request, `HEAD` as `GET`. Throws `not_found`, or `method_not_allowed` with the methods that the path has. */
export type FindRoute = (method: string, path: string) => Promise<Found>;

/** What it takes to serve requests. */
export interface ServeNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * What answers every request of a process: steps 1 and 2 of the order of checks, then the route, then the response, its log
 * line and its figures. `dialects` are those of its routes besides the service's own.
 */
export function makeListener(
  needs: ServeNeeds,
  findRoute: FindRoute,
  dialects: readonly Dialect[] = [],
): RequestListener {
  const inFlight = new ConcurrencyLimit(REQUESTS_IN_FLIGHT);
  const shares = new Shares();
  return async (message, response) => {
    const startedAt = performance.now();
    needs.metrics.began(message.method);
    const id = requestId(message.headers['x-request-id']);
    const { consoleOrigin } = needs.config;
    if (consoleOrigin !== undefined && isFromConsole(message, consoleOrigin)) admitOrigin(response, consoleOrigin);
    let route: BoundRoute | undefined;
    let failure: ApiError | undefined;
    let dialect = NATIVE;
    try {
      const [path = '', query = ''] = splitTarget(message.url ?? '');
      dialect = dialectOf(dialects, path);
      refuseUnclearHost(message);
      const found = await findRoute(message.method ?? '', path);
      route = found.route;
      using share = shares.begin();
      using _place = route.description.credential === 'none' ? undefined : inFlight.take(tooBusy);
      const request = {
        id,
        query,
        pathId: found.pathId,
        message,
        authorization: presentedCredential(message, needs.config, dialect),
        clientAddress: clientAddress(message, needs.config),
        share,
      };
      sendReply(message, response, id, await route.respond(request));
    } catch (thrown) {
      failure = toApiError(thrown);
      if (failure.code === 'method_not_allowed' && isAdmittedPreflight(needs, message)) {
        admitPreflight(response, failure.details.allow ?? []);
        sendReply(message, response, id, { status: 204 });
      } else {
        sendError(message, response, id, failure, dialect);
      }
    }
    const answered = {
      request_id: id,
      method: message.method,
      route: route?.description.path,
      status: response.statusCode,
      code: failure?.code,
      took_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    };
    logRequest(needs, message, answered, failure);
    needs.metrics.answered(answered);
  };
}

/** Scheme and authority of an absolute target. */
const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** The path and the query as sent, of an absolute target too (RFC 9112 §3.2.2): whichever host it names, it came here. */
function splitTarget(target: string): [string, string] {
  const own = target.replace(ORIGIN, '');
  const mark = own.indexOf('?');
  const [path, query] = mark < 0 ? [own, ''] : [own.slice(0, mark), own.slice(mark + 1)];
  return [path === '' ? '/' : path, query];
}

/** RFC 9112 §3.2 asks for a 400: without a host, and with more than one. */
function refuseUnclearHost({ httpVersion, headersDistinct }: IncomingMessage): void {
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw new ApiError('invalid_request', 'the request must name one host');
  }
}

function isAdmittedPreflight(needs: ServeNeeds, message: IncomingMessage): boolean {
  return isPreflight(message) && isFromConsole(message, needs.config.consoleOrigin);
}

function logRequest(
  needs: ServeNeeds,
  message: IncomingMessage,
  answered: LogFields,
  failure: ApiError | undefined,
): void {
  const failed = failure !== undefined && failure.status >= 500;
  const fields = { ...answered, ...traceFields(needs.config.project, message.headers) };
  needs.log.write(failed ? 'ERROR' : 'INFO', 'request', fields, failed ? failure : undefined);
}

function tooBusy(): ApiError {
  return new ApiError('unavailable', 'too many requests in flight');
}
