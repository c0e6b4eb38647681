import type { Socket } from 'node:net';

interface Held {
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
  #held: Held[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, delayMs: () => number) {
    this.#socket = socket;
    this.#delayMs = delayMs;
  }

  /** Accepts a chunk, or `null` for the end of the stream. Returns false if the socket's buffer is full. */
  push(chunk: Buffer | null): boolean {
    const delayMs = this.#delayMs();
    if (delayMs === 0 && this.#held.length === 0) return this.#pass(chunk);
    this.#held.push({ chunk, dueMs: performance.now() + delayMs });
    this.#timer ??= setTimeout(() => this.#passDue(), delayMs);
    return true;
  }

  flush(): void {
    const held = this.#held;
    this.drop();
    for (const { chunk } of held) this.#pass(chunk);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#held = [];
  }

  #pass(chunk: Buffer | null): boolean {
    if (chunk !== null) return this.#socket.write(chunk);
    this.#socket.end();
    return true;
  }

  #passDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#held[0] !== undefined && this.#held[0].dueMs <= now) this.#pass(this.#held.shift()?.chunk ?? null);
    const [next] = this.#held;
    if (next !== undefined) this.#timer = setTimeout(() => this.#passDue(), Math.max(0, next.dueMs - now));
  }
}
