import { type Load, load, type Reading, type Server } from './child.ts';

/** What a load on a server measured, together with what the server used. */
export interface Measured extends Load {
  /** Processor time of the server's process for one operation, in microseconds. */
  readonly cpuUsPerOp: number;
  readonly loopMs: Reading['loop_ms'];
  readonly peakRssBytes: number;
  /** Round trips by kind, for one operation. */
  readonly tripsPerOp: Readonly<Record<string, number>>;
}

/** One kind of request. */
export interface Request {
  readonly path: string;
  readonly body: string;
}

/** Loads a server with one request over so many connections for so many seconds. */
export async function measure(
  server: Server,
  { path, body }: Request,
  token: string,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = await server.read();
  const result = await load({ url: `${server.url}${path}`, connections, seconds, token, body });
  const after = await server.read();
  if (result.failed > 0) throw new Error(`${path}: ${result.failed} of ${result.total} requests failed`);
  const perOp = (used: number) => used / Math.max(1, result.total);
  return {
    ...result,
    cpuUsPerOp: perOp(after.cpu_us - before.cpu_us),
    loopMs: after.loop_ms,
    peakRssBytes: after.peak_rss_bytes,
    tripsPerOp: Object.fromEntries(
      Object.entries(after.trips).map(([kind, count]) => [kind, perOp(count - (before.trips[kind] ?? 0))]),
    ),
  };
}
