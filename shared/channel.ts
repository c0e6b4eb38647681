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
 * been answered for {@link DEADLINES_MS.outage}, calls fail for good. So in an outage requests are answered at once, and
 * nothing that was answered with a failure is done after all when the outage ends. Each new call is still sent: the first
 * answer ends the outage.
 */
export function makeChannelOptions(deadlineMs: number): ChannelOptions {
  const outage = new Outage();
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
  #failingSince: number | undefined;
  #answeredAt = 0;

  readonly watch: Interceptor = (options, nextCall) => {
    const startedAt = performance.now();
    return new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
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
    if (now - this.#failingSince < DEADLINES_MS.outage) return status;
    return { ...status, code: GRPC.DATA_LOSS };
  }
}
