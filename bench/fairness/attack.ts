import type { Asked } from './http-client.ts';
import type { Tally } from './tally.ts';
import type { Tenant } from './tenant.ts';

/** Who attacks, and what. */
export interface Attacker {
  /** The attacker's own. */
  readonly tenant: Tenant;
  /** The service. */
  readonly url: string;
  /** Firestore's emulator, host:port. */
  readonly firestore: string;
  /** Ends the attack. */
  readonly stopped: AbortSignal;
  /** What the attacker was answered. */
  readonly tally: Tally;
  /** Sends a request and counts its answer. */
  send(asked: Asked): Promise<void>;
}

/** Something that one tenant, or anybody, may send. */
export interface Attack {
  /** What it is called in the table. */
  readonly name: string;
  /** What is sent. */
  readonly sends: string;
  /** How many times as long as others it is made, where it takes time to show. */
  readonly lasts?: number;
  /** Makes what it needs, and resolves to what sends until the attacker is stopped. */
  prepare(attacker: Attacker): Promise<() => Promise<unknown>>;
}
