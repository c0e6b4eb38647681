import type { IncomingMessage } from 'node:http';
import { ApiError, type ErrorCode } from '../errors.ts';
import { Checks } from './checks.ts';
import type { BoundRoute } from './route.ts';

/** The message of every refusal while the service is closed. */
export const CLOSED = 'the service is closed; try again later';

export interface Found {
  readonly route: BoundRoute;
  readonly pathId: string;
}

/** Finds a request's route (`HEAD` as `GET`). Throws `not_found`, or `method_not_allowed` with the allowed methods. */
export type FindRoute = (method: string, path: string) => Promise<Found>;

interface Arrived {
  readonly message: IncomingMessage;
  readonly path: string;
  readonly isClosed: boolean;
  readonly findRoute: FindRoute;
}

const HOST_CODES: readonly ErrorCode[] = ['invalid_request'];

/** The checks of every request, before its route is known. */
export const ROUTING = Checks.of<Arrived>()
  .refuse({ name: 'the request names exactly one host', codes: HOST_CODES, check: refuseUnclearHost })
  .refuse({ name: 'the service is open, or this is a health check', codes: ['unavailable'], check: refuseWhileClosed })
  .find({
    name: 'there is a route with this path and method',
    codes: ['not_found', 'method_not_allowed'],
    check: ({ message, path, findRoute }) => findRoute(message.method ?? '', path),
  });

/** The codes that every route can answer. */
export const OF_EVERY_ROUTE = HOST_CODES;

/** RFC 9112 §3.2 */
function refuseUnclearHost({ message: { httpVersion, headersDistinct } }: Arrived): void {
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw new ApiError('invalid_request', 'the request must have exactly one host header');
  }
}

function refuseWhileClosed({ isClosed, path }: Arrived): void {
  if (isClosed && path !== '/health') throw new ApiError('unavailable', CLOSED);
}
