import { setTimeout as wait } from 'node:timers/promises';
import type { Reading, Server } from './child.ts';
import { send } from './http-client.ts';
import { type Answers, type Load, sendLoad } from './load.ts';

/** The answers to a load, and the resources that the server used for it. */
export interface Measured extends Answers {
  /** Processor time of the server's process per operation, in microseconds. */
  readonly cpuUsPerOp: number;
  readonly loopMs: Reading['loop_ms'];
  readonly peakRssBytes: number;
  /** The number of round trips of each kind, per operation. */
  readonly tripsPerOp: Readonly<Record<string, number>>;
}

export interface RepeatedRequest {
  readonly path: string;
  readonly body: string;
}

/** How often a failed load is repeated. A load can fail because Firestore's emulator sometimes stalls for seconds. */
const RETRIES = 2;

/** How long a server may need, after a load, to answer the requests that are still in flight. */
const SETTLE_MS = 60_000;

/**
 * Measures a load that repeats one request over a number of connections. Makes up to three attempts. Throws if every
 * attempt had an answer other than 200.
 */
export async function measure(
  server: Server,
  request: RepeatedRequest,
  token: string,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const load = { url: server.url + request.path, pace: { connections }, seconds, tokens: [token], body: request.body };
  return measureWithRetries(async () => {
    try {
      return await measureOnce(server, load);
    } finally {
      await untilSettled(server, request, token);
    }
  });
}

/**
 * Runs a measurement, up to three times until it succeeds. Prints the errors of earlier attempts to stderr. Throws the
 * error of the third attempt.
 */
export async function measureWithRetries<T>(measureIt: () => Promise<T>): Promise<T> {
  for (let left = RETRIES; ; left--) {
    try {
      return await measureIt();
    } catch (error) {
      if (left === 0) throw error;
      process.stderr.write(`measuring again after an error: ${error}\n`);
    }
  }
}

/** Measures one load. Throws unless every answer is a 200. */
export async function measureOnce(server: Server, load: Load): Promise<Measured> {
  const before = await server.read();
  const answers = await sendLoad(load);
  const after = await server.read();
  const perOp = (used: number) => used / answers.count;
  return {
    ...answers,
    cpuUsPerOp: perOp(after.cpu_us - before.cpu_us),
    loopMs: after.loop_ms,
    peakRssBytes: after.peak_rss_bytes,
    tripsPerOp: Object.fromEntries(
      Object.entries(after.trips).map(([kind, count]) => [kind, perOp(count - (before.trips[kind] ?? 0))]),
    ),
  };
}

/**
 * Waits until a server answers with 200 again. Otherwise requests in flight and the next load together might exceed the
 * concurrency limit of an API key.
 */
async function untilSettled({ url }: Server, { path, body }: RepeatedRequest, token: string): Promise<void> {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    const status = await send(url, { method: 'POST', path, token, raw: body }).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 200) return;
    if (performance.now() > giveUpAt)
      throw new Error(`${url}${path}: no 200 within a minute after a load, but ${status}`);
    await wait(100);
  }
}
