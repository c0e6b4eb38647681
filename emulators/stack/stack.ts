import type { Demo } from './demo.ts';
import type { Flavour } from './service-environment.ts';

/** How a stack is to run. */
export type StackOptions = Flavour & {
  /** Whether each function has a process of its own behind a gateway, instead of one process for all routes. */
  readonly deployed?: boolean;
  /** The service's port; the other ports keep their distance from it. */
  readonly port: number;
  /** Where state is kept between runs; undefined: nowhere. */
  readonly dir: string | undefined;
  /** Whether to forget what is kept there. */
  readonly fresh?: boolean;
  /** Takes one line about each part that has started. */
  readonly log?: (line: string) => void;
};

/** What a person or a test needs to know of a stack: the control API's `GET /`. */
export type Overview = {
  readonly base_url: string;
  readonly demo: Omit<Demo, 'subscribed'> & { readonly subject: string | null };
};

/** A running stack. */
export type Stack = {
  readonly overview: Overview;
  readonly controlUrl: string;
  /** Ends the service's process as a crash would, and resolves when another one answers. */
  readonly crashService: () => Promise<void>;
  /** Lets requests finish, keeps the state, ends every part. Throws what went wrong after trying everything. */
  readonly stop: () => Promise<void>;
};
