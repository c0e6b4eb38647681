import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operations.ts';
import type { Tier } from '../tiers.ts';

interface Answered {
  readonly method: string | undefined;
  /** The path template, with `{id}`; `undefined` for an unknown route. */
  readonly route: string | undefined;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly took_ms: number;
}

/** Functions that return how many items wait in each queue. */
interface Levels {
  commits(): number;
  decisions(): number;
  reads(): number;
  secretChecks(): number;
}

export interface Metrics {
  began(method: string | undefined): void;
  answered(request: Answered): void;
  attempted(operation: Operation, tier: Tier | undefined, failure?: ErrorCode): void;
  commitFailed(): void;
  /** Reports these levels with the other metrics from now on. */
  watch(levels: Levels): void;
  end(): Promise<void>;
}

export const NO_METRICS: Metrics = {
  began() {},
  answered() {},
  attempted() {},
  commitFailed() {},
  watch() {},
  async end() {},
};

/** Returns metrics that buffer all calls until the real metrics are loaded. */
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
