import type { HttpRequest } from '../http-client.ts';
import type { Tenant } from '../tenant.ts';
import type { Tally } from './tally.ts';

export interface Attacker {
  readonly tenant: Tenant;
  readonly url: string;
  /** Firestore's emulator, host:port. */
  readonly firestore: string;
  /** Aborted when the attack must end. */
  readonly stopped: AbortSignal;
  /** Counts the answers to the attacker. */
  readonly tally: Tally;
  /** Sends a request and counts its answer. */
  send(request: HttpRequest): Promise<void>;
}

/** An attack by one tenant, or by someone without an API key. */
export interface Attack {
  readonly name: string;
  /** What the attack sends, for the table. */
  readonly sends: string;
  /** A multiple of the usual duration, for an attack whose effect takes time to show. */
  readonly lasts?: number;
  /** Prepares the attack. Resolves to a function that sends requests until `stopped`. */
  prepare(attacker: Attacker): Promise<() => Promise<unknown>>;
}
