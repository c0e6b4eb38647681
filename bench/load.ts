import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { z } from 'zod';
import type { Server } from './servers.ts';
import { quantile, shuffled } from './table.ts';

const TIMEOUT_MS = 15_000;

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A body that is sent unchanged. Used only if there is no `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request and resolves to the answer. The number of connections is unlimited, so that requests wait in the
 * service and not here. Rejects if there is no answer within 15 seconds, or if `stopped` aborts first.
 */
export async function send(url: string, request: HttpRequest, stopped?: AbortSignal): Promise<HttpAnswer> {
  const { method, path, token, body } = request;
  const payload = body === undefined ? request.raw : JSON.stringify(body);
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(payload !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  };
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped]);
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    signal,
    ...(payload !== undefined && { body: payload }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Sends a request and parses the answer's body. Throws if the status is 300 or more. */
export async function call<Body>(url: string, request: HttpRequest, schema: z.ZodType<Body>): Promise<Body> {
  const { status, text } = await send(url, request);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
  return schema.parse(text === '' ? undefined : JSON.parse(text));
}

/** Returns the status, with the error code if there is one, such as `200` or `503 unavailable`. */
export function outcomeOf({ status, text }: HttpAnswer): string {
  if (status < 400) return String(status);
  const [, error] = /"error":"(\w+)"/.exec(text) ?? [];
  return error === undefined ? String(status) : `${status} ${error}`;
}

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

/** Statistics of the answers. Latencies are in milliseconds. */
interface Answers {
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
  const answers: { readonly status: number; readonly tookMs: number }[] = [];
  const record: Recorder = (status, tookMs) => answers.push({ status, tookMs });
  const { pace } = load;
  const { seconds, unanswered } = await ('connections' in pace
    ? hammer(load, pace.connections, record)
    : sendSteadily(load, pace.perSecond, record));
  if (answers.length === 0 || answers.some(({ status }) => status !== 200) || unanswered > 0) {
    const counts = [...Map.groupBy(answers, ({ status }) => status)].map(
      ([status, some]) => `${some.length} × ${status}`,
    );
    throw new Error(`${load.url}: ${[...counts, `${unanswered} unanswered`].join(', ')}`);
  }
  const times = answers.map(({ tookMs }) => tookMs);
  return {
    count: times.length,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
  };
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

/** The answers to a load, and the resources that the server used for it. */
export interface Measured extends Answers {
  /** Processor time of the server's process per operation, in microseconds. */
  readonly cpuUsPerOp: number;
  /** The delay of the server's event loop, in milliseconds: the p99. */
  readonly loopP99: number;
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
    loopP99: after.loop_ms.p99,
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
    await pause(100);
  }
}
