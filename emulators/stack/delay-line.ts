import type { Socket } from 'node:net';

interface DelayedChunk {
  /** The data to forward. `null` marks the end of the stream. */
  readonly chunk: Buffer | null;
  /** The time at which to forward the chunk, on the monotonic clock. */
  readonly dueMs: number;
}

/**
 * Forwards chunks to a socket in order, with a delay. Each chunk waits for the delay that applied when the chunk
 * arrived.
 */
export class DelayLine {
  readonly #socket: Socket;
  readonly #delayMs: () => number;
  #queue: DelayedChunk[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, delayMs: () => number) {
    this.#socket = socket;
    this.#delayMs = delayMs;
  }

  /** Accepts a chunk, or `null` for the end of the stream. Returns false if the socket's buffer is full. */
  push(chunk: Buffer | null): boolean {
    const delayMs = this.#delayMs();
    if (delayMs === 0 && this.#queue.length === 0) return this.#pass(chunk);
    this.#queue.push({ chunk, dueMs: performance.now() + delayMs });
    this.#timer ??= setTimeout(() => this.#passDue(), delayMs);
    return true;
  }

  flush(): void {
    const queue = this.#queue;
    this.drop();
    for (const { chunk } of queue) this.#pass(chunk);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
  }

  #pass(chunk: Buffer | null): boolean {
    if (chunk !== null) return this.#socket.write(chunk);
    this.#socket.end();
    return true;
  }

  #passDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#queue[0] !== undefined && this.#queue[0].dueMs <= now) this.#pass(this.#queue.shift()?.chunk ?? null);
    const [next] = this.#queue;
    if (next !== undefined) this.#timer = setTimeout(() => this.#passDue(), Math.max(0, next.dueMs - now));
  }
}
