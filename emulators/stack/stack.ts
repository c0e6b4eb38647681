import type { Demo } from './demo.ts';
import type { Flavour } from './flavour.ts';

/** How a stack is to run. */
export interface StackOptions extends Flavour {
  /** Whether each function has its own process behind a gateway, instead of one process for all routes. */
  readonly deployed?: boolean;
  /** The service's port. The other ports are at fixed distances from it. */
  readonly port: number;
  /** The directory that keeps the state between runs; `undefined` keeps none. */
  readonly dir: string | undefined;
  /** Whether a demo tenant that is made now has a month behind it. */
  readonly demoMonth?: boolean;
  /** Whether the scheduled functions run by themselves, besides when control asks. */
  readonly schedules?: boolean;
  /** Whether to remove the state of earlier runs. */
  readonly fresh?: boolean;
  /** Is given a line about each part that has started. */
  readonly log?: (line: string) => void;
}

/** The answer of the control API's `GET /`. */
export interface Overview {
  readonly base_url: string;
  /** `null` where there is no console. */
  readonly console_url: string | null;
  readonly demo: Omit<Demo, 'subscribed'> & { readonly subject: string | null };
}

/** A running stack. */
export interface Stack {
  readonly overview: Overview;
  readonly controlUrl: string;
  /** Kills the service's process, and resolves when the next one answers. */
  crashService(): Promise<void>;
  /**
   * Waits for requests under way, saves the state and ends every part. Rejects, once all was tried, when a part failed.
   */
  stop(): Promise<void>;
}
