import type { HttpRequest } from '../http-client.ts';
import type { Tenant } from '../tenant.ts';
import type { Tally } from './tally.ts';

export interface Attacker {
  readonly tenant: Tenant;
  /** Makes another tenant, which takes part in the attack. */
  makeAccomplice(): Promise<Tenant>;
  readonly url: string;
  /** The address of the Firestore emulator, as host:port. */
  readonly firestore: string;
  /** The signal that aborts when the attack must end. */
  readonly stopped: AbortSignal;
  /** Counts the answers to the attacker. */
  readonly tally: Tally;
  /** Sends a request and counts its answer. */
  send(request: HttpRequest): Promise<void>;
  /** Sends a request of a workload that the attack must not harm. Counts its answer apart from the attacker's. */
  sendAsVictim(request: HttpRequest): Promise<void>;
}

/** An attack by one tenant with or without accomplices, or by someone without an API key. */
export interface Attack {
  readonly name: string;
  /** A description of the requests, for the table. */
  readonly sends: string;
  /** How many times longer than usual the attack lasts, if its effect takes time to show. */
  readonly durationFactor?: number;
  /** Prepares the attack. Resolves to a function that sends requests until the signal `stopped` aborts. */
  prepare(attacker: Attacker): Promise<() => Promise<unknown>>;
}
