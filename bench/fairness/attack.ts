import type { HttpRequest } from '../http-client.ts';
import type { Tenant } from '../tenant.ts';
import type { Tally } from './tally.ts';

/** What an attack is made with. */
export interface Attacker {
  /** The attacker's. */
  readonly tenant: Tenant;
  /** Of the service. */
  readonly url: string;
  /** Firestore's emulator, host:port. */
  readonly firestore: string;
  /** Aborted when the attack is to end. */
  readonly stopped: AbortSignal;
  /** Of the answers to the attacker. */
  readonly tally: Tally;
  /** Sends a request and counts its answer. */
  send(request: HttpRequest): Promise<void>;
}

/** An attack by one tenant, or by somebody without an API key. */
export interface Attack {
  /** Its name in the table. */
  readonly name: string;
  /** The requests that it sends, for the table. */
  readonly sends: string;
  /** How many times as long as others it takes; 1 without it. For an attack whose effect takes time to show. */
  readonly lasts?: number;
  /** Makes what it needs. Resolves to what sends until `stopped`. */
  prepare(attacker: Attacker): Promise<() => Promise<unknown>>;
}
