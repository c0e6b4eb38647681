import {
  type CallInvocationTransformer,
  type ChannelInterface,
  type ClientOptions,
  credentials,
  type Deadline,
  InterceptingCall,
  type Interceptor,
  type StatusObject,
} from '@grpc/grpc-js';
import { deadlineIn } from '../base/clock.ts';
import { splitAddress } from '../base/socket-address.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { LiveChannel } from './live-channel.ts';
import { GRPC, UNANSWERED } from './status.ts';

interface ChannelOptions {
  readonly 'grpc.initial_reconnect_backoff_ms': number;
  readonly 'grpc.max_reconnect_backoff_ms': number;
  readonly 'grpc.keepalive_time_ms': number;
  readonly 'grpc.keepalive_timeout_ms': number;
  readonly 'grpc-node.flow_control_window': number;
  readonly 'grpc.callInvocationTransformer': CallInvocationTransformer;
  readonly 'grpc.channelFactoryOverride': NonNullable<ClientOptions['channelFactoryOverride']>;
}

/** The HTTP/2 window in bytes. With Node's 64 KiB per connection, large answers delay each other. */
const WINDOW = 1 << 20;

/** How often a channel with calls in progress checks that the server answers, and for how long it waits. */
const KEEPALIVE_MS = { time: 10_000, timeout: 5_000 };

/**
 * Gives each call a deadline of at most `deadlineMs`, and replaces connections on which the server does not answer. During an outage, calls
 * fail with DATA_LOSS, which Google's clients do not retry: a retry could apply a change that was already reported as
 * failed. Calls are still sent, so that a response ends the outage.
 */
export function makeChannelOptions(deadlineMs: number): ChannelOptions {
  const outage = new Outage(deadlineMs);
  return {
    // Reconnect within a second; gRPC's default back-off grows to two minutes.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.keepalive_time_ms': KEEPALIVE_MS.time,
    'grpc.keepalive_timeout_ms': KEEPALIVE_MS.timeout,
    'grpc-node.flow_control_window': WINDOW,
    'grpc.callInvocationTransformer': (call) => {
      const deadline = sooner(call.callOptions.deadline, deadlineIn(deadlineMs));
      return { ...call, callOptions: { ...call.callOptions, deadline, interceptors: [outage.watch(call.channel)] } };
    },
    'grpc.channelFactoryOverride': (target, creds, options) => new LiveChannel(target, creds, options, deadlineMs),
  };
}

/** Returns the settings of a Google client for an emulator, or no settings if there is no emulator. */
export function emulatorSettings(hostAndPort: string | undefined) {
  if (hostAndPort === undefined) return {};
  const [apiEndpoint, port] = splitAddress(hostAndPort);
  // Without this setting, the client asks a metadata server, which does not exist beside an emulator.
  return { apiEndpoint, port, sslCreds: credentials.createInsecure(), universeDomain: 'googleapis.com' };
}

function sooner(deadline: Deadline | undefined, other: number): number {
  return Math.min(Number(deadline ?? other), other);
}

class Outage {
  readonly #deadlineMs: number;
  #failingSince: number | undefined;
  #answeredAt = 0;
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  readonly watch =
    (channel: ChannelInterface): Interceptor =>
    (options, nextCall) => {
      const startedAt = performance.now();
      const isOngoing = this.#isOngoingAt(startedAt);
      const call =
        isOngoing && !this.#isProbe(startedAt)
          ? { ...options, deadline: sooner(options.deadline, deadlineIn(DEADLINES_MS.reconnect)) }
          : options;
      return new InterceptingCall(nextCall(call), {
        start: (metadata, _listener, next) => {
          if (isOngoing) metadata.setOptions({ ...metadata.getOptions(), waitForReady: true });
          next(metadata, {
            onReceiveStatus: (status, pass) => {
              if (channel instanceof LiveChannel) channel.note(status.code, startedAt);
              pass(this.#note(status, startedAt));
            },
          });
        },
      });
    };

  #note(status: StatusObject, startedAt: number): StatusObject {
    const now = performance.now();
    if (!UNANSWERED.includes(status.code)) {
      this.#failingSince = undefined;
      this.#answeredAt = now;
      return status;
    }
    // If the call exceeded its deadline, the outage began with the call, or at the last response if that was later.
    this.#failingSince ??= status.code === GRPC.DEADLINE_EXCEEDED ? Math.max(startedAt, this.#answeredAt) : now;
    return this.#isOngoingAt(now) ? { ...status, code: GRPC.DATA_LOSS } : status;
  }

  #isOngoingAt(now: number): boolean {
    return this.#failingSince !== undefined && now - this.#failingSince >= DEADLINES_MS.outage;
  }

  /**
   * Whether a call keeps the full deadline during an outage, to detect a server that answers slowly. One call per
   * deadline period does.
   */
  #isProbe(now: number): boolean {
    if (now - this.#probedAt < this.#deadlineMs) return false;
    this.#probedAt = now;
    return true;
  }
}
