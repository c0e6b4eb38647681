import { setTimeout as pause } from 'node:timers/promises';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { prefetch } from '../base/prefetch.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { GRPC, hasStatus } from './status.ts';

/** The longest random wait before a second attempt, in milliseconds. Each further one is `GROWTH` times as long. */
const WAIT_MS = 100;
const GROWTH = 1.3;

/** After this many attempts without an answer, the next one uses a new client, and so a new connection. */
const SILENT_ATTEMPTS = 2;

export interface Server {
  readonly what: 'firestore' | 'kms';
  /** The longest that a call may take, in milliseconds. */
  readonly deadlineMs: number;
}

/** Options for a call of Google's client. It must not retry: each of its attempts would get a new deadline. */
export interface CallOptions {
  readonly timeout: number;
  readonly retry: null;
}

type Attempt<Client, T> = (client: Client, options: CallOptions) => Promise<T>;

/**
 * Calls a server through one of Google's generated clients, with one deadline for all attempts of a call.
 *
 * The server is in an outage once it has not answered for `DEADLINES_MS.outage`. Until it answers, most attempts are
 * short, and calls are repeated only for `DEADLINES_MS.reconnect`. If the server does not answer on a connection, the
 * next call makes a new one.
 */
export class Connection<Client extends { close(): unknown }> {
  readonly #server: Server;
  readonly #open: () => Client | Promise<Client>;
  #client: Promise<Client> | undefined;
  #openedAt = 0;
  #silentAttempts = 0;
  #silentSince: number | undefined;
  #answeredAt = 0;
  #probedAt = Number.NEGATIVE_INFINITY;

  /** `open` makes a client. It is called at the first call, because loading Google's clients is slow. */
  constructor(server: Server, open: () => Client | Promise<Client>) {
    this.#server = server;
    this.#open = open;
  }

  /**
   * Makes a call, and repeats it while it fails with one of the gRPC statuses `again`. Throws {@link DeadlineExceeded}
   * once `endsAt` has passed, in milliseconds on the monotonic clock.
   */
  async call<T>(
    again: readonly number[],
    attempt: Attempt<Client, T>,
    endsAt = performance.now() + this.#server.deadlineMs,
  ): Promise<T> {
    const { what } = this.#server;
    const begunAt = performance.now();
    for (let longestMs = WAIT_MS; ; longestMs *= GROWTH) {
      const startedAt = performance.now();
      const leftMs = endsAt - startedAt;
      if (leftMs <= 0) throw new DeadlineExceeded(`${what}: the deadline has passed, so no further call is made`);
      try {
        const options = { timeout: this.#timeout(startedAt, leftMs), retry: null };
        const answer = await withDeadline(what, leftMs, this.#send(attempt, options));
        this.#noteAnswer();
        return answer;
      } catch (error) {
        this.#noteFailure(error, startedAt);
        const now = performance.now();
        const isOver = this.#isOutageAt(now) && now - begunAt >= DEADLINES_MS.reconnect;
        if (isOver || !again.some((status) => hasStatus(error, status))) throw error;
      }
      await withDeadline(what, Math.max(0, endsAt - performance.now()), pause(Math.random() * longestMs));
    }
  }

  /** Closes the client. Calls in progress can still be answered. The next call opens a new client. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client)?.close();
  }

  async #send<T>(attempt: Attempt<Client, T>, options: CallOptions): Promise<T> {
    // A client that could not be made is not kept.
    this.#client ??= this.#reopen().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return attempt(await this.#client, options);
  }

  async #reopen(): Promise<Client> {
    this.#openedAt = performance.now();
    return this.#open();
  }

  /** During an outage, one attempt per deadline period may take as long as usual, because the server may be slow. */
  #timeout(now: number, leftMs: number): number {
    if (!this.#isOutageAt(now)) return leftMs;
    if (now - this.#probedAt < this.#server.deadlineMs) return Math.min(leftMs, DEADLINES_MS.reconnect);
    this.#probedAt = now;
    return leftMs;
  }

  #isOutageAt(now: number): boolean {
    return this.#silentSince !== undefined && now - this.#silentSince >= DEADLINES_MS.outage;
  }

  #noteAnswer(): void {
    this.#silentSince = undefined;
    this.#silentAttempts = 0;
    this.#answeredAt = performance.now();
  }

  #noteFailure(error: unknown, startedAt: number): void {
    const now = performance.now();
    const isLate = error instanceof DeadlineExceeded || hasStatus(error, GRPC.DEADLINE_EXCEEDED);
    if (!isLate && !hasStatus(error, GRPC.UNAVAILABLE)) {
      this.#noteAnswer();
      return;
    }
    // The outage began with the call that got no answer, or at the last answer if that was later.
    this.#silentSince ??= isLate ? Math.max(startedAt, this.#answeredAt) : now;
    const patienceMs = Math.min(this.#server.deadlineMs / 2, DEADLINES_MS.reconnect);
    if (!isLate || startedAt < this.#openedAt || now - startedAt < patienceMs) return;
    if (++this.#silentAttempts < SILENT_ATTEMPTS) return;
    this.#silentAttempts = 0;
    prefetch(this.close());
  }
}
