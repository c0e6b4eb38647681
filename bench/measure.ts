import { setTimeout as wait } from 'node:timers/promises';
import type { Reading, Server } from './child.ts';
import { send } from './http-client.ts';
import { type Answers, type Load, sendAnsweredLoad } from './send-load.ts';

/** What a load measured, together with what the server used for it. */
export interface Measured extends Answers {
  /** Processor time of the server's process for one operation, in microseconds. */
  readonly cpuUsPerOp: number;
  readonly loopMs: Reading['loop_ms'];
  readonly peakRssBytes: number;
  /** Round trips by kind, for one operation. */
  readonly tripsPerOp: Readonly<Record<string, number>>;
}

/** A request that is repeated. */
export interface RepeatedRequest {
  readonly path: string;
  readonly body: string;
}

/** How often a load is repeated that was not answered throughout: Firestore's emulator stands still for seconds at times. */
const AGAIN = 2;

/** How long a server may take to answer what a load left in flight. */
const SETTLE_MS = 60_000;

/**
 * Repeats one request over a number of connections for a number of seconds. Throws unless every answer is a 200, at the
 * third time; of the times before it tells on stderr.
 */
export async function measure(
  server: Server,
  request: RepeatedRequest,
  token: string,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const load = { url: server.url + request.path, connections, seconds, tokens: [token], body: request.body };
  return measureAgain(async () => {
    try {
      return await measureOnce(server, load);
    } finally {
      await untilSettled(server, request, token);
    }
  });
}

/** Measures up to three times, until all is answered; of the times before it tells on stderr. */
export async function measureAgain<T>(measureIt: () => Promise<T>): Promise<T> {
  for (let left = AGAIN; ; left--) {
    try {
      return await measureIt();
    } catch (error) {
      if (left === 0) throw error;
      process.stderr.write(`measured again: ${error}\n`);
    }
  }
}

/** Measures one load, which `program` sends. Throws unless every answer is a 200. */
export async function measureOnce(server: Server, load: Load, program?: string): Promise<Measured> {
  const before = await server.read();
  const answers = await sendAnsweredLoad(load, program);
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

/** Waits until a server answers again: beside another load what is in flight would be more than an API key may have. */
async function untilSettled({ url }: Server, { path, body }: RepeatedRequest, token: string): Promise<void> {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    const status = await send(url, { method: 'POST', path, token, raw: body }).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 200) return;
    if (performance.now() > giveUpAt) throw new Error(`${url}${path}: not answered again, but with ${status}`);
    await wait(100);
  }
}
