/*
 * npm run bench [-- --seconds N] [-- --bars]: measures the service and the baseline (baseline.ts) on the same emulators,
 * in turns of N seconds. Prints a table of ratios with their limits. Each ratio is the median of several turns. --bars
 * measures only loads that have a limit. Exits with 1 if a limit is exceeded.
 *
 * npm run bench -- --cloud: measures behind a proxy with the cloud's latencies, see cloud/run.ts.
 */
import { parseArgs } from 'node:util';
import { runCloud } from './cloud/run.ts';
import { measure } from './load.ts';
import {
  type MeasuredKey,
  type MeasuredOperation,
  OPERATIONS,
  type Pair,
  plaintextBody,
  prepareRequests,
  startPair,
  TIERS,
} from './pair.ts';
import { exceededLimits, hasLimit, type Point, type Row, showTable, type Turn } from './report.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    bars: { type: 'boolean' },
    cloud: { type: 'boolean' },
    rounds: { type: 'string', default: '5' },
    points: { type: 'string', default: '1,16,64,256,100/s,500/s' },
    tiers: { type: 'string', default: TIERS.join() },
    calm: { type: 'boolean', default: false },
    beside: { type: 'string', multiple: true, default: [] },
  },
});
const seconds = Number(values.seconds ?? (values.cloud ? 5 : 1.5));

/**
 * The operations that are measured with large values. `wrap` and `unwrap` are missing, because they always carry one
 * data key of the same size.
 */
const LARGE = OPERATIONS.filter((operation) => operation !== 'wrap' && operation !== 'unwrap');
const SIZES = [
  { bytes: 1_024, connections: [1, 16, 64, 256], operations: OPERATIONS },
  { bytes: 65_536, connections: [1, 16, 32, 64], operations: LARGE },
];
/**
 * The duration of the warm-up, in seconds. It gives V8 and Java time to compile the code of the service, the baseline
 * and the emulators.
 */
const WARM_SECONDS = 8;
/**
 * The number of turns per load. The results of turns differ by up to a fifth. Loads with a limit get more turns, so that
 * chance does not decide whether they exceed it.
 */
const TURNS = { limited: 9, others: 3 };

interface MeasuredPoint extends Point {
  readonly operation: MeasuredOperation;
  readonly tier: MeasuredKey['tier'];
}

const rows: Row[] = [];
if (values.cloud) {
  const exceeded = await runCloud({
    seconds,
    rounds: Number(values.rounds),
    points: values.points.split(','),
    tiers: TIERS.filter((tier) => values.tiers.split(',').includes(tier)),
    stalls: !values.calm,
    otherCheckouts: values.beside,
  });
  if (exceeded.length > 0) process.exitCode = 1;
} else {
  await measureAll();
}

async function measureAll(): Promise<void> {
  for (const { bytes, connections, operations } of SIZES) {
    for (const count of connections) {
      const points = TIERS.flatMap((tier) =>
        operations.map((operation) => ({ operation, tier, bytes, connections: count })),
      ).filter((point) => !values.bars || hasLimit(point));
      if (points.length > 0) await measurePoints(points);
    }
  }
  process.stdout.write(`\n${showTable(rows)}\n`);
  for (const exceeded of exceededLimits(rows)) {
    process.stdout.write(`limit exceeded: ${exceeded}\n`);
    process.exitCode = 1;
  }
}

/** Measures on a new stack, because the Firestore emulator is slow and sometimes stalls when it holds much data. */
async function measurePoints(points: readonly MeasuredPoint[]): Promise<void> {
  const pair = await startPair();
  try {
    await warm(pair);
    for (const point of points) {
      rows.push({ ...point, turns: await takeTurns(pair, point) });
      process.stdout.write('.');
    }
  } finally {
    await pair.stop();
  }
}

async function warm(pair: Pair): Promise<void> {
  const body = plaintextBody(Buffer.alloc(1_024));
  await measure(pair.baseline, { path: '', body }, pair.token, 64, WARM_SECONDS);
  for (const key of Object.values(pair.keys)) {
    const { encrypt } = await prepareRequests(pair, key, Buffer.alloc(1_024));
    await measure(pair.service, encrypt, pair.token, 64, WARM_SECONDS);
  }
}

async function takeTurns(pair: Pair, point: MeasuredPoint): Promise<Turn[]> {
  const { operation, tier, bytes, connections } = point;
  const { service, baseline, token } = pair;
  const plaintext = Buffer.alloc(bytes, 7);
  const request = (await prepareRequests(pair, pair.keys[tier], plaintext))[operation];
  const baselineRequest = { path: '', body: plaintextBody(plaintext) };
  await measure(service, request, token, connections, 1);
  const turns: Turn[] = [];
  for (let left = hasLimit(point) ? TURNS.limited : TURNS.others; left > 0; left--) {
    const baselineResult = await measure(baseline, baselineRequest, token, connections, seconds);
    turns.push({ baseline: baselineResult, measured: await measure(service, request, token, connections, seconds) });
  }
  return turns;
}
