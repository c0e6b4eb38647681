import { z } from 'zod';
import type { Server } from '../child.ts';
import { call } from '../http-client.ts';
import { median } from '../statistics.ts';
import type { Billed, FirestoreMeter } from './firestore-meter.ts';
import type { MeasuredRoute } from './routes.ts';

const COUNTED = 5;
const ATTEMPTS = 5;
const TIMED = 100;
/**
 * The maximum time for measuring one route. The emulator's queries become slower as its store grows, so 100 requests
 * could take very long.
 */
const TIMED_FOR_MS = 10_000;

export interface Cost {
  /** For each kind of round trip, how many the service makes per request: the median of five requests. */
  readonly trips: Readonly<Record<string, number>>;
  /** What Firestore bills, counted in the traffic: the medians of five requests. */
  readonly billed: Billed;
  /** The number of items in the answer if it is a list, else 1. */
  readonly rows: number;
  /** The median latency of up to 100 sequential requests, in milliseconds. */
  readonly p50: number;
  /** The median latency of `bare`, in milliseconds. `bare` runs once after each request. */
  readonly bareP50: number;
}

export async function measureCost(service: Server, meter: FirestoreMeter, route: MeasuredRoute): Promise<Cost> {
  const counted = [];
  for (let n = 0; n < COUNTED; n++) counted.push(await retried(() => countOne(service, meter, route)));
  const timesMs: number[] = [];
  const bareMs: number[] = [];
  const until = performance.now() + TIMED_FOR_MS;
  for (let n = 0; n < TIMED && performance.now() < until; n++) {
    timesMs.push(await retried(() => timeOf(() => request(service, route))));
    bareMs.push(await timeOf(route.bare));
  }
  const { documents = 0, queries = 0, writes = 0 } = medians(counted.map(({ billed }) => billed));
  return {
    trips: medians(counted.map(({ trips }) => trips)),
    billed: { documents, queries, writes },
    rows: median(counted.map(({ rows }) => rows)),
    p50: median(timesMs),
    bareP50: median(bareMs),
  };
}

async function countOne(service: Server, meter: FirestoreMeter, route: MeasuredRoute) {
  const [before, billedBefore] = [await service.read(), meter.billed()];
  const rows = await request(service, route);
  const [after, billed] = [await service.read(), meter.billed()];
  return { rows, trips: minus(after.trips, before.trips), billed: minus({ ...billed }, { ...billedBefore }) };
}

/** Retries `work` after an error. On a busy machine, a query of the full emulator can exceed the service's deadline. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Sends a request. Returns the number of items in the answer if it is a list, else 1. Throws if the request fails. */
export async function request({ url }: Server, { path, token, body }: MeasuredRoute): Promise<number> {
  const sent = body === undefined ? { method: 'GET', path, token } : { method: 'POST', path, token, raw: body };
  const answered = await call(url, sent, z.unknown());
  return Array.isArray(answered) ? answered.length : 1;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

type Counts = Readonly<Record<string, number>>;

function minus(after: Counts, before: Counts): Counts {
  return Object.fromEntries(Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]));
}

function medians(all: readonly Counts[]): Counts {
  const kinds = Object.keys(all[0] ?? {});
  return Object.fromEntries(kinds.map((kind) => [kind, median(all.map((one) => one[kind] ?? 0))]));
}
