import type { Demo } from './seed.ts';

/** The features that are configured. The service has no routes for other features. */
export interface Flavour {
  readonly billing: boolean;
  readonly console: boolean;
  readonly wrappedRoot: boolean;
  readonly transit: boolean;
  readonly closed?: boolean;
  /** Whether the service uses short deadlines for Firestore and the KMS. Deployed functions ignore this setting. */
  readonly shortDeadlines?: boolean;
}

export interface StackOptions extends Flavour {
  /**
   * Whether the stack runs each function in a separate process behind a gateway. By default, one process serves all
   * routes.
   */
  readonly deployed?: boolean;
  /** The service's port. All other ports keep a fixed distance from it. */
  readonly port: number;
  /** The directory in which the stack keeps its state between runs. If `undefined`, it keeps no state. */
  readonly dir: string | undefined;
  /** Whether a new demo tenant gets a month of simulated use. */
  readonly demoMonth?: boolean;
  /** Whether scheduled functions run at intervals. The control API can run them in either case. */
  readonly schedules?: boolean;
  /** Whether to delete the state of earlier runs. */
  readonly fresh?: boolean;
  /** Receives one line for each started part. */
  readonly log?: (line: string) => void;
}

/** The answer of the control API's `GET /`. */
export interface Overview {
  readonly base_url: string;
  /** The URL of the console. `null` if the stack has no console. */
  readonly console_url: string | null;
  /** The issuer of the ID tokens that `POST /workload-tokens` makes. */
  readonly workload_issuer: string;
  readonly demo: Omit<Demo, 'subscribed'> & { readonly subject: string | null };
}

export interface Stack {
  readonly overview: Overview;
  readonly controlUrl: string;
  /** Kills the service's process. Resolves when the process that replaces it answers. */
  crashService(): Promise<void>;
  /**
   * Waits for requests in progress, saves the state and stops every part. If a part fails to stop, stops the other
   * parts and then rejects.
   */
  stop(): Promise<void>;
}
