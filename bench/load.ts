import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { send } from './http-client.ts';
import { quantile, shuffled } from './statistics.ts';

/** A load of POST requests. The requests use the API keys of `tokens` in turn. */
export interface Load {
  readonly url: string;
  readonly seconds: number;
  readonly tokens: readonly string[];
  readonly body: string;
  /**
   * The number of connections, each of which sends its next request after an answer, or the number of requests per
   * second, which are sent at random moments without waiting for answers, as by many independent callers.
   */
  readonly pace: { readonly connections: number } | { readonly perSecond: number };
}

/** Statistics of the answers that have the same status. Latencies are in milliseconds. */
export interface Answers {
  readonly status: number;
  readonly count: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Records the status of an answer, and the time until the answer. */
type Recorder = (status: number, tookMs: number) => void;

/**
 * Sends a load and returns the statistics of its answers. Throws unless every request had an answer with the status 200.
 */
export async function sendLoad(load: Load): Promise<Answers> {
  const times = new Map<number, number[]>();
  const record: Recorder = (status, tookMs) => {
    const some = times.get(status) ?? [];
    some.push(tookMs);
    times.set(status, some);
  };
  const { pace } = load;
  const sent =
    'connections' in pace ? hammer(load, pace.connections, record) : sendSteadily(load, pace.perSecond, record);
  const { seconds, unanswered } = await sent;
  const [first, ...others] = [...times].map(([status, some]) => ({
    status,
    count: some.length,
    perSecond: some.length / seconds,
    p50: quantile(some, 0.5),
    p95: quantile(some, 0.95),
    p99: quantile(some, 0.99),
  }));
  if (first?.status === 200 && others.length === 0 && unanswered === 0) return first;
  const counts = [...times].map(([status, { length }]) => `${length} × ${status}`);
  throw new Error(`${load.url}: ${[...counts, `${unanswered} unanswered`].join(', ')}`);
}

function hammer({ url, seconds, tokens, body }: Load, connections: number, record: Recorder) {
  const requests = tokens.map((token) => ({
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body,
  }));
  const { promise, resolve, reject } = Promise.withResolvers<{ seconds: number; unanswered: number }>();
  // The requests are shuffled. Otherwise all connections would use the same API key at the same time.
  const setupClient = (client: autocannon.Client) => client.setRequests(shuffled(requests));
  const options = { url, method: 'POST', connections, duration: seconds, timeout: 30, requests, setupClient } as const;
  autocannon(options, (error, { duration, errors }) => {
    if (error) reject(error);
    else resolve({ seconds: duration, unanswered: errors });
  }).on('response', (_client, status, _bytes, tookMs) => record(status, tookMs));
  return promise;
}

async function sendSteadily({ url, seconds, tokens, body }: Load, perSecond: number, record: Recorder) {
  const inFlight: Promise<void>[] = [];
  const startedAt = performance.now();
  const sendOne = async (token = ''): Promise<void> => {
    const sentAt = performance.now();
    const { status } = await send(url, { method: 'POST', path: '', token, raw: body });
    record(status, performance.now() - sentAt);
  };
  for (let dueMs = 0; dueMs < 1_000 * seconds; dueMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond) {
    const earlyMs = startedAt + dueMs - performance.now();
    if (earlyMs >= 1) await pause(earlyMs);
    inFlight.push(sendOne(tokens[inFlight.length % tokens.length]));
  }
  const failed = (await Promise.allSettled(inFlight)).filter(({ status }) => status === 'rejected');
  return { seconds, unanswered: failed.length };
}
