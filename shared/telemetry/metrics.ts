import type { Operation } from '../audit/event.ts';
import type { ErrorCode } from '../errors.ts';
import type { Tier } from '../keys/tiers.ts';

/** A request that was answered, in the fields of its log line. */
export interface Answered {
  readonly method: string | undefined;
  /** The path of its route, with `{id}` for the id; `undefined` where there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly took_ms: number;
}

/** What waits or is under way in this process at the moment of the call. */
export interface Levels {
  /** Operations that wait for a place in a commit. */
  commits(): number;
  /** Questions that wait for a place in a request to the policy decision point. */
  decisions(): number;
  /** Reads that wait for a place in a call of Firestore. */
  reads(): number;
  /** API key secrets that are being checked with Argon2id, or wait their turn. */
  secretChecks(): number;
}

/** What the service tells its operator in figures. */
export interface Metrics {
  /** A request came. {@link answered} is told when it goes. */
  began(method: string | undefined): void;
  answered(request: Answered): void;
  /** A caller attempted a recorded operation, on a key of that tier if one was reached; `failure` is how it failed, if it did. */
  attempted(operation: Operation, tier: Tier | undefined, failure?: ErrorCode): void;
  /** A group commit failed, or its answer was lost. */
  commitFailed(): void;
  /** Has the levels read whenever figures are sent. */
  watch(levels: Levels): void;
  /** Sends what was not sent yet. Nothing is sent afterwards. */
  end(): Promise<void>;
}

/** Keeps and sends nothing. */
export const NO_METRICS: Metrics = {
  began() {},
  answered() {},
  attempted() {},
  commitFailed() {},
  watch() {},
  async end() {},
};

/** Metrics that are still being loaded: they are told later what is told now. */
export function whenLoaded(loading: Promise<Metrics>): Metrics {
  return {
    began: (method) => void loading.then((metrics) => metrics.began(method)),
    answered: (request) => void loading.then((metrics) => metrics.answered(request)),
    attempted: (...attempt) => void loading.then((metrics) => metrics.attempted(...attempt)),
    commitFailed: () => void loading.then((metrics) => metrics.commitFailed()),
    watch: (levels) => void loading.then((metrics) => metrics.watch(levels)),
    end: () => loading.then((metrics) => metrics.end()),
  };
}
