import type { InFlight } from './in-flight.ts';

export interface AuthRequest {
  readonly id: string;
  /** The header with the caller's credential, if it occurs once. */
  readonly authorization: string | undefined;
  /** Derived from trusted proxies only. */
  readonly clientAddress: string | undefined;
  readonly inFlight: InFlight;
}
