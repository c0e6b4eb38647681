import type { Socket } from 'node:net';

/** Passes chunks to a socket in the order they came, each held back by the delay that was set when it came. */
export type DelayLine = {
  /** Takes a chunk, or `null` for the end of the stream. Returns false while the socket wants no more. */
  readonly push: (chunk: Buffer | null) => boolean;
  /** Passes on at once whatever is held back. */
  readonly flush: () => void;
  /** Drops whatever is held back. */
  readonly drop: () => void;
};

/** Makes a line into the socket. */
export function makeDelayLine(into: Socket, delayMs: () => number): DelayLine {
  let held: { chunk: Buffer | null; due: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  const pass = (chunk: Buffer | null): boolean => {
    if (chunk !== null) return into.write(chunk);
    into.end();
    return true;
  };
  const passDue = (): void => {
    timer = undefined;
    const now = performance.now();
    while (held[0] !== undefined && held[0].due <= now) pass(held.shift()?.chunk ?? null);
    const next = held[0];
    if (next !== undefined) timer = setTimeout(passDue, Math.max(0, next.due - now));
  };
  const drop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    held = [];
  };

  return {
    push: (chunk) => {
      if (delayMs() === 0 && held.length === 0) return pass(chunk);
      held.push({ chunk, due: performance.now() + delayMs() });
      timer ??= setTimeout(passDue, delayMs());
      return true;
    },
    flush: () => {
      const chunks = held;
      drop();
      for (const { chunk } of chunks) pass(chunk);
    },
    drop,
  };
}
