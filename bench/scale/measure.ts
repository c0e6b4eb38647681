import type { Server } from '../child.ts';
import type { FirestoreMeter, Passed } from './firestore-meter.ts';
import type { MeasuredRoute } from './routes.ts';

const COUNTED = 5;
const ATTEMPTS = 5;
const TIMED = 100;
/** The emulator's queries slow down with its store: a route is timed no longer than this, in milliseconds. */
const TIMED_FOR_MS = 10_000;

/** What a route costs in one state of the store. */
export interface Cost {
  /** Round trips of the service by kind; of each the median of five requests. */
  readonly trips: Readonly<Record<string, number>>;
  /** What Firestore bills, counted on the wire; likewise. */
  readonly passed: Passed;
  /** The length of the answer's list, or 1. */
  readonly rows: number;
  /** Milliseconds: the median of up to a hundred requests one after another. */
  readonly p50: number;
  /** The same for the bare client, a call of it after each request. */
  readonly bareP50: number;
}

/** Measures one route, one request at a time. */
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
  const { documents = 0, queries = 0, writes = 0 } = medians(counted.map(({ passed }) => passed));
  return {
    trips: medians(counted.map(({ trips }) => trips)),
    passed: { documents, queries, writes },
    rows: median(counted.map(({ rows }) => rows)),
    p50: median(timesMs),
    bareP50: median(bareMs),
  };
}

async function countOne(service: Server, meter: FirestoreMeter, route: MeasuredRoute) {
  const [before, passedBefore] = [await service.read(), meter.passed()];
  const rows = await request(service, route);
  const [after, passed] = [await service.read(), meter.passed()];
  return { rows, trips: minus(after.trips, before.trips), passed: minus({ ...passed }, { ...passedBefore }) };
}

/** On a busy machine a query of the full emulator may take longer than the service waits for: then it is measured again. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** The rows answered. Throws for anything but success. */
export async function request(service: Server, { path, token, body }: MeasuredRoute): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? { headers } : { method: 'POST', headers, body };
  const answer = await fetch(`${service.url}${path}`, sent);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const answered: unknown = await answer.json();
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
