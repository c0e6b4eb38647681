import type { InFlight } from './in-flight.ts';

export interface AuthRequest {
  readonly id: string;
  /** The header with the caller's credential; `undefined` if the header is missing or repeated. */
  readonly authorization: string | undefined;
  /** The client's address as reported by trusted proxies. */
  readonly clientAddress: string | undefined;
  readonly inFlight: InFlight;
  /** The request's turns among those in flight, by the id of the API key, user or tenant. */
  readonly turns: Map<string, Disposable>;
}
