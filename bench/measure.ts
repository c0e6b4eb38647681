import { setTimeout as wait } from 'node:timers/promises';
import type { Reading, Server } from './child.ts';
import { type Answers, sendAnsweredLoad } from './send-load.ts';

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

/** What a load left in flight is answered by then: beside another it would be more than an API key may have. */
const REST_MS = 500;

/** Repeats one request over so many connections for so many seconds. Throws unless every answer is a 200. */
export async function measure(
  server: Server,
  { path, body }: RepeatedRequest,
  token: string,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = await server.read();
  const answers = await sendAnsweredLoad({ url: `${server.url}${path}`, connections, seconds, tokens: [token], body });
  const after = await server.read();
  await wait(REST_MS);
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
