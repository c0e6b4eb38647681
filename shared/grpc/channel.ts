import type { Socket } from 'node:net';
import { Channel, ChannelCredentials, type ClientOptions, credentials } from '@grpc/grpc-js';
import { splitAddress } from '../base/socket-address.ts';

/** The HTTP/2 window in bytes. With Node's 64 KiB per connection, large answers delay each other. */
const WINDOW = 1 << 20;

/** How often a channel with calls in progress checks that the server answers, and for how long it waits. */
const KEEPALIVE_MS = { time: 10_000, timeout: 5_000 };

/** Returns the options of a channel. The sockets of a connection that was given up are destroyed after `deadlineMs`. */
export function makeChannelOptions(deadlineMs: number) {
  return {
    // Reconnect within a second; gRPC's default back-off grows to two minutes.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.keepalive_time_ms': KEEPALIVE_MS.time,
    'grpc.keepalive_timeout_ms': KEEPALIVE_MS.timeout,
    'grpc-node.flow_control_window': WINDOW,
    'grpc.channelFactoryOverride': (target: string, own: ChannelCredentials, options: ClientOptions) =>
      new EndingChannel(target, new Sockets(own, deadlineMs), options),
  };
}

/** Returns the settings of a Google client for an emulator, or no settings if there is no emulator. */
export function emulatorSettings(hostAndPort: string | undefined) {
  if (hostAndPort === undefined) return {};
  const [apiEndpoint, port] = splitAddress(hostAndPort);
  // Without this setting, the client asks a metadata server, which does not exist beside an emulator.
  return { apiEndpoint, port, sslCreds: credentials.createInsecure(), universeDomain: 'googleapis.com' };
}

/** A channel that destroys its sockets some time after it was closed. */
class EndingChannel extends Channel {
  readonly #sockets: Sockets;

  constructor(target: string, sockets: Sockets, options: ClientOptions) {
    super(target, sockets, options);
    this.#sockets = sockets;
  }

  override close(): void {
    super.close();
    this.#sockets.retire();
  }
}

/** Destroys a channel's old sockets. gRPC does not: it waits until a silent server closes them. */
class Sockets extends ChannelCredentials {
  readonly #credentials: ChannelCredentials;
  readonly #deadlineMs: number;
  readonly #open = new Set<Socket>();

  constructor(credentials: ChannelCredentials, deadlineMs: number) {
    super();
    this.#credentials = credentials;
    this.#deadlineMs = deadlineMs;
  }

  /** Destroys the open sockets. */
  retire(): void {
    for (const socket of this.#open) this.#retire(socket);
  }

  /** Destroys a socket once all calls on it have ended. */
  #retire(socket: Socket): void {
    setTimeout(() => socket.destroy(), this.#deadlineMs).unref();
  }

  override _createSecureConnector(...args: Parameters<ChannelCredentials['_createSecureConnector']>) {
    const connector = this.#credentials._createSecureConnector(...args);
    let earlier: Socket | undefined;
    return {
      connect: (socket: Socket) => {
        // gRPC connects to an address again only after it has given up the earlier connection.
        if (earlier !== undefined) this.#retire(earlier);
        earlier = socket;
        this.#open.add(socket);
        const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof connector.connect>>>();
        socket.once('close', () => {
          this.#open.delete(socket);
          reject(new Error('the connection was closed'));
        });
        connector.connect(socket).then(resolve, reject);
        return promise;
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }

  override _isSecure(): boolean {
    return this.#credentials._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }
}
