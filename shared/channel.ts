import { type CallInvocationTransformer, InterceptingCall, type Interceptor, type StatusObject } from '@grpc/grpc-js';
import { deadlineIn } from './base/clock.ts';
import { GRPC } from './base/grpc-status.ts';
import { DEADLINES_MS } from './config.ts';

/** What a gRPC client is told about its channel. */
export interface ChannelOptions {
  readonly 'grpc.initial_reconnect_backoff_ms': number;
  readonly 'grpc.max_reconnect_backoff_ms': number;
  readonly 'grpc.callInvocationTransformer': CallInvocationTransformer;
}

/** The failures after which Google's clients make a call again, some of them for ten minutes. */
const UNANSWERED: readonly number[] = [GRPC.UNAVAILABLE, GRPC.DEADLINE_EXCEEDED];

/**
 * A channel whose calls end by a deadline, and that lets its client try again only while there is hope: once nothing has
 * been answered for {@link DEADLINES_MS.outage}, calls fail for good. So in an outage a call is answered within
 * {@link DEADLINES_MS.reconnect}, but for one now and then that has all its time, and nothing that was answered with a failure is done after all when the outage ends. Each
 * new call is still sent, and waits for a connection as long as making one takes: so the first call after the outage is
 * answered, and ends it.
 */
export function makeChannelOptions(deadlineMs: number): ChannelOptions {
  const outage = new Outage(deadlineMs);
  return {
    // After an outage the client comes back within a second, not within gRPC's two minutes.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.callInvocationTransformer': (call) => {
      const callOptions = { ...call.callOptions, deadline: deadlineIn(deadlineMs), interceptors: [outage.watch] };
      return { ...call, callOptions };
    },
  };
}

/** Since when a channel answers nothing. */
class Outage {
  readonly #deadlineMs: number;
  #failingSince: number | undefined;
  #answeredAt = 0;
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  readonly watch: Interceptor = (options, nextCall) => {
    const startedAt = performance.now();
    const lasts = this.#lastsAt(startedAt);
    const call =
      lasts && !this.#isProbe(startedAt) ? { ...options, deadline: deadlineIn(DEADLINES_MS.reconnect) } : options;
    return new InterceptingCall(nextCall(call), {
      start: (metadata, _listener, next) => {
        if (lasts) metadata.setOptions({ ...metadata.getOptions(), waitForReady: true });
        next(metadata, { onReceiveStatus: (status, pass) => pass(this.#judge(status, startedAt)) });
      },
    });
  };

  #judge(status: StatusObject, startedAt: number): StatusObject {
    const now = performance.now();
    if (!UNANSWERED.includes(status.code)) {
      this.#failingSince = undefined;
      this.#answeredAt = now;
      return status;
    }
    // A call that ran into its deadline went unanswered all the while.
    this.#failingSince ??= status.code === GRPC.DEADLINE_EXCEEDED ? Math.max(startedAt, this.#answeredAt) : now;
    return this.#lastsAt(now) ? { ...status, code: GRPC.DATA_LOSS } : status;
  }

  #lastsAt(now: number): boolean {
    return this.#failingSince !== undefined && now - this.#failingSince >= DEADLINES_MS.outage;
  }

  /** Now and then one call is given all its time: whoever has become slow is found to answer again. */
  #isProbe(now: number): boolean {
    if (now - this.#probedAt < this.#deadlineMs) return false;
    this.#probedAt = now;
    return true;
  }
}
