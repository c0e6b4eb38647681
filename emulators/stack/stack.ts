import type { Demo } from './demo.ts';
import type { Flavour } from './flavour.ts';

export interface StackOptions extends Flavour {
  /** Whether each function has a separate process behind a gateway. By default, one process serves all routes. */
  readonly deployed?: boolean;
  /** The service's port. All other ports keep a fixed distance from it. */
  readonly port: number;
  /** The directory for state between runs. `undefined` keeps no state. */
  readonly dir: string | undefined;
  /** Whether a new demo tenant gets a month of simulated use. */
  readonly demoMonth?: boolean;
  /** Whether the scheduled functions run on a schedule. The control API can always run them. */
  readonly schedules?: boolean;
  /** Whether to delete the state of earlier runs. */
  readonly fresh?: boolean;
  /** Receives one line for each started part. */
  readonly log?: (line: string) => void;
}

/** The answer of the control API's `GET /`. */
export interface Overview {
  readonly base_url: string;
  /** `null` without a console. */
  readonly console_url: string | null;
  readonly demo: Omit<Demo, 'subscribed'> & { readonly subject: string | null };
}

export interface Stack {
  readonly overview: Overview;
  readonly controlUrl: string;
  /** Kills the service's process. Resolves when the next process answers. */
  crashService(): Promise<void>;
  /** Waits for requests in progress and saves the state. Tries to stop every part; rejects if one fails. */
  stop(): Promise<void>;
}
