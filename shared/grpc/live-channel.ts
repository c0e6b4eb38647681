import type { Socket } from 'node:net';
import {
  Channel,
  ChannelCredentials,
  type ChannelInterface,
  type ClientOptions,
  connectivityState,
} from '@grpc/grpc-js';
import { DEADLINES_MS } from '../deadlines.ts';
import { GRPC, UNANSWERED } from './status.ts';

/** After this many calls without an answer, a channel connects anew. */
const UNANSWERED_CALLS = 2;

interface Made {
  readonly channel: Channel;
  readonly sockets: Sockets;
  readonly madeAt: number;
}

/** A channel that connects anew if its server does not answer. gRPC's own channel waits until the connection ends. */
export class LiveChannel implements ChannelInterface {
  readonly #make: () => Made;
  readonly #deadlineMs: number;
  #current: Made;
  #unanswered = 0;

  /** No call on the channel lasts longer than `deadlineMs`. */
  constructor(target: string, credentials: ChannelCredentials, options: ClientOptions, deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    this.#make = () => {
      const sockets = new Sockets(credentials, deadlineMs);
      return { channel: new Channel(target, sockets, options), sockets, madeAt: performance.now() };
    };
    this.#current = this.#make();
  }

  /** Notes the status of a call that began at `startedAt`, and whether it shows that the server is alive. */
  note(code: number, startedAt: number): void {
    if (!UNANSWERED.includes(code)) this.#unanswered = 0;
    if (code !== GRPC.DEADLINE_EXCEEDED || startedAt < this.#current.madeAt) return;
    if (performance.now() - startedAt < this.#patienceMs()) return;
    if (++this.#unanswered < UNANSWERED_CALLS) return;
    this.close();
    this.#unanswered = 0;
    this.#current = this.#make();
  }

  /** How long a call must wait to count: a slow server may still answer on an open connection. */
  #patienceMs(): number {
    const isOpen = this.getConnectivityState(false) === connectivityState.READY;
    return isOpen ? this.#deadlineMs / 2 : Math.min(this.#deadlineMs / 2, DEADLINES_MS.reconnect);
  }

  /** Calls in progress can still be answered until their deadlines. */
  close(): void {
    this.#current.channel.close();
    this.#current.sockets.retire();
  }

  getTarget(): string {
    return this.#current.channel.getTarget();
  }

  getConnectivityState(tryToConnect: boolean): connectivityState {
    return this.#current.channel.getConnectivityState(tryToConnect);
  }

  watchConnectivityState(...args: Parameters<ChannelInterface['watchConnectivityState']>): void {
    this.#current.channel.watchConnectivityState(...args);
  }

  getChannelzRef(): ReturnType<ChannelInterface['getChannelzRef']> {
    return this.#current.channel.getChannelzRef();
  }

  createCall(...args: Parameters<ChannelInterface['createCall']>): ReturnType<ChannelInterface['createCall']> {
    return this.#current.channel.createCall(...args);
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
