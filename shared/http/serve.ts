import type { IncomingMessage, RequestListener } from 'node:http';
import { InFlight } from '../auth/in-flight.ts';
import type { Log, LogFields } from '../base/log.ts';
import type { Config } from '../config.ts';
import { type ApiError, toApiError } from '../errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { admitOrigin, admitPreflight, isFromConsole, isPreflight } from './cors.ts';
import { type Dialect, dialectOf, NATIVE } from './dialect.ts';
import { clientAddress, presentedCredential } from './request.ts';
import { requestId } from './request-id.ts';
import { sendError, sendReply } from './respond.ts';
import type { BoundRoute } from './route.ts';
import { type FindRoute, ROUTING } from './routing.ts';
import { traceFields } from './trace.ts';

/** Makes the listener, which runs the early checks, finds the route, answers, logs the request and measures it. */
export function makeListener(
  services: { readonly config: Config; readonly log: Log; readonly metrics: Metrics },
  findRoute: FindRoute,
  dialects: readonly Dialect[] = [],
): RequestListener {
  const inFlight = new InFlight();
  return async (message, response) => {
    const startedAt = performance.now();
    services.metrics.began(message.method);
    const id = requestId(message.headers['x-request-id']);
    const { consoleOrigin } = services.config;
    if (consoleOrigin !== undefined && isFromConsole(message, consoleOrigin)) admitOrigin(response, consoleOrigin);
    let route: BoundRoute | undefined;
    let failure: ApiError | undefined;
    let dialect = NATIVE;
    const turns = new Map<string, Disposable>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    response.once('close', end);
    try {
      const [path = '', query = ''] = splitTarget(message.url ?? '');
      dialect = dialectOf(dialects, path);
      // Preflight requests are answered also while the service is closed, so that the console can show the reason.
      const isClosed = services.config.closed && !isAdmittedPreflight(services, message);
      const found = await ROUTING.run({ message, path, isClosed, findRoute });
      route = found.route;
      const request = {
        id,
        query,
        pathId: found.pathId,
        message,
        authorization: presentedCredential(message, services.config, dialect),
        clientAddress: clientAddress(message, services.config),
        inFlight,
        turns,
        ended,
      };
      await sendReply(message, response, id, await route.respond(request));
    } catch (thrown) {
      failure = toApiError(thrown);
      // The head of a streamed answer has been sent, so only a closed connection can tell the client.
      if (response.headersSent) response.destroy();
      else if (failure.code === 'method_not_allowed' && isAdmittedPreflight(services, message)) {
        admitPreflight(response, failure.details.allow ?? []);
        sendReply(message, response, id, { status: 204 });
      } else {
        sendError(message, response, id, failure, dialect);
      }
    }
    // The answer uses memory until the client has read it, so the request counts against the limit until then.
    void ended.then(() => {
      for (const turn of turns.values()) turn[Symbol.dispose]();
    });
    const answered = {
      request_id: id,
      method: message.method,
      route: route?.description.path,
      status: response.statusCode,
      code: failure?.code,
      reason: failure?.details.reason,
      took_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    };
    logRequest(services, message, answered, failure);
    services.metrics.answered(answered);
  };
}

const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** Returns path and query as sent, also for an absolute target, whose host is ignored (RFC 9112 §3.2.2). */
function splitTarget(target: string): [string, string] {
  const own = target.replace(ORIGIN, '');
  const mark = own.indexOf('?');
  const [path, query] = mark < 0 ? [own, ''] : [own.slice(0, mark), own.slice(mark + 1)];
  return [path === '' ? '/' : path, query];
}

function isAdmittedPreflight(
  services: { readonly config: Config; readonly log: Log; readonly metrics: Metrics },
  message: IncomingMessage,
): boolean {
  return isPreflight(message) && isFromConsole(message, services.config.consoleOrigin);
}

function logRequest(
  services: { readonly config: Config; readonly log: Log; readonly metrics: Metrics },
  message: IncomingMessage,
  answered: LogFields,
  failure: ApiError | undefined,
): void {
  const failed = failure !== undefined && failure.status >= 500;
  const fields = { ...answered, ...traceFields(services.config.project, message.headers) };
  if (failed) services.log.write('request failed', fields, failure);
  else services.log.write('request answered', fields);
}
