import { setTimeout as pause } from 'node:timers/promises';
import { type Addresses, control } from '../../support/client.ts';
import { ROUTES } from '../../support/route-table.ts';
import { MINUTE_MS } from '../../support/steer.ts';
import { checkRecords, checkValues, finishScheduledWork } from './checks.ts';
import { forEach, withDeadline } from './deadline.ts';
import { Disturbances, type JobRun, runFaults, runJobs } from './disturbances.ts';
import { type LoggedError, type Reading, readDirectly, readResources } from './gauge.ts';
import { compareThirds, type FigureComparison, isWithinLimit } from './growth.ts';
import { monthOf, nextMonth } from './moved-clock.ts';
import type { Outcome } from './promises.ts';
import { openRig, type Rig } from './rig.ts';
import type { Timed } from './sender.ts';
import { makeSoakTenant, type SoakTenant } from './tenants.ts';
import { sendTraffic } from './traffic.ts';

const TENANTS = 50;
const CONCURRENT_CREATIONS = 6;
/** The time for creating the tenants, before the traffic begins. */
const CREATION_DEADLINE_MS = 10 * MINUTE_MS;
const DRAIN_DEADLINE_MS = 2 * MINUTE_MS;
const CHECK_DEADLINE_MS = 20 * MINUTE_MS;
/**
 * How long to wait after the last fault before the checks. By then, no request is refused any more because of a fault.
 */
const RECOVERED_AFTER_MS = 6_000;
/**
 * The maximum number of steps in a run that write audit rows. For each query, the emulator reads the rows of all
 * tenants, and it can read about this number in a second.
 */
const RECORDED_STEPS = 3_000;
const STEPS_A_SECOND = 60;
/**
 * The number of operations that each key has performed before the traffic. With these operations, paid keys cost more
 * than their monthly fee.
 */
const USED_BEFORE = { free: 0, wrapped: 2_000, software: 0, hsm: 10_000 };

/** The duration of a run, the seed of its random numbers, and its output. */
export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Receives lines of text about the progress. */
  readonly say: (line: string) => void;
}

/** The results of a run. */
export interface SoakResult {
  readonly comparisons: readonly FigureComparison[];
  readonly outcomes: readonly Outcome[];
  readonly requests: number;
  readonly faults: number;
  /** The number of requests that were refused because of each fault. */
  readonly refusals: ReadonlyMap<string, number>;
  /** The number of operations that failed but may have been counted. */
  readonly uncertain: number;
  /** The routes that no request called. */
  readonly uncalled: readonly string[];
  /** The average share of one core that the process used. */
  readonly core: number;
}

/** Lets tenants use the service across the end of a month. Then compares what is stored with the answers. */
export async function soak(stack: Addresses, options: SoakOptions): Promise<SoakResult> {
  const { minutes, say } = options;
  const rig = await openRig(stack);
  try {
    const { clock, people, promises } = rig;
    const halfMs = (minutes * MINUTE_MS) / 2;
    const monthEnd = nextMonth(clock.now() + CREATION_DEADLINE_MS + halfMs);
    await clock.set(monthEnd - halfMs - CREATION_DEADLINE_MS);
    const tenants = await withDeadline(CREATION_DEADLINE_MS, 'creating the tenants', makeTenants(rig));
    say(`${tenants.length} tenants were created`);
    await clock.set(monthEnd - halfMs);
    people.forget();
    const { comparisons, faults, runs, requests, core } = await runTraffic(rig, tenants, options);
    await pause(RECOVERED_AFTER_MS);
    const checked = { ...rig, tenants, ended: monthOf(monthEnd - 1) };
    const check = async () => {
      await checkValues(checked);
      say('all kept values were decrypted');
      await finishScheduledWork(checked);
      say('eight days have passed, and all scheduled functions have run');
      await checkRecords(checked);
    };
    await withDeadline(CHECK_DEADLINE_MS, 'the checks', check()).catch((error: unknown) => {
      promises.expect('all checks finish', [String(error)]);
    });
    await checkShutdown(rig, runs);
    const uncalled = uncalledRoutes(rig);
    promises.kept('answers are as documented', requests);
    const exceeded = comparisons.filter((one) => !isWithinLimit(one));
    promises.expect(
      'no figure exceeds its limit',
      exceeded.map(({ name }) => name),
      comparisons.length,
    );
    const uncertain = tenants.reduce((sum, { ledger }) => sum + ledger.uncertain, 0);
    const { refusals } = rig.sender;
    return { comparisons, outcomes: promises.outcomes, requests, faults, refusals, uncertain, uncalled, core };
  } finally {
    await rig.stop();
  }
}

async function makeTenants({ stack, sender, people, clock }: Rig): Promise<SoakTenant[]> {
  const tenants: SoakTenant[] = [];
  await forEach(Array.from({ length: TENANTS }), CONCURRENT_CREATIONS, async () => {
    const tenant = await makeSoakTenant(stack, sender, people);
    const period = monthOf(clock.now());
    for (const { id, tier } of tenant.keys) {
      const ops = USED_BEFORE[tier];
      if (ops === 0) continue;
      await control(stack, 'POST', '/usage', { key_id: id, period, ops });
      tenant.ledger.usedBefore(id, period, ops);
    }
    tenants.push(tenant);
  });
  return tenants;
}

/**
 * Lets workers use the service. Meanwhile, faults start and end, scheduled functions run and the process is measured.
 */
async function runTraffic(rig: Rig, tenants: readonly SoakTenant[], { minutes, seed, say }: SoakOptions) {
  const { stack, service, inspector, faults, sender } = rig;
  sender.sent.length = 0;
  const stopping = new AbortController();
  const { signal } = stopping;
  const noise = new Disturbances();
  const [readings, directReads]: [Reading[], Timed[]] = [[], []];
  const forMs = minutes * MINUTE_MS;
  const from = performance.now();
  const until = from + forMs;
  const recordedShare = Math.min(0.5, RECORDED_STEPS / (STEPS_A_SECOND * 60 * minutes));
  const background = Promise.all([
    runFaults(service, faults, signal),
    runJobs(rig, forMs, signal, noise),
    readResources(service, inspector, signal, readings),
    readDirectly(stack, tenants, signal, directReads, faults),
    reportEachMinute(),
  ]);
  const traffic = sendTraffic(rig, tenants, { until, seed, recordedShare });
  // If something else fails during the traffic, the run ends immediately.
  await withDeadline(forMs + DRAIN_DEADLINE_MS, 'the traffic', Promise.race([traffic, background.then(() => traffic)]));
  stopping.abort();
  const [count, runs] = await withDeadline(DRAIN_DEADLINE_MS, 'the work beside the traffic', background);
  const requests = sender.sent.length;
  say(`the traffic has ended: ${requests} requests were answered`);
  const isQuiet = (at: number, end: number) => (faults.during(at, end) ?? noise.during(at, end)) === undefined;
  const comparisons = compareThirds({ from, until, readings, sent: sender.sent, directReads, isQuiet });
  return { comparisons, faults: count, runs, requests, core: shareOfCore(readings) };

  async function reportEachMinute(): Promise<void> {
    for (let minute = 1; ; minute++) {
      await pause(MINUTE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const { heapBytes = 0, sockets = 0 } = readings.at(-1) ?? {};
      const resources = `${Math.round(heapBytes / 2 ** 20)} MiB and ${sockets} sockets in use`;
      say(`minute ${minute}: ${sender.sent.length} requests were answered; ${resources}`);
    }
  }
}

function shareOfCore(readings: readonly Reading[]): number {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return Number.NaN;
  return (last.cpuUs - first.cpuUs) / 1_000 / (last.at - first.at);
}

/** Returns the routes that are missing in the last metrics of the process. */
function uncalledRoutes({ receiver }: Rig): string[] {
  const points = receiver.points('http.server.request.duration');
  const called = new Set(points.map(([of]) => `${of['http.request.method']} ${of['http.route']}`));
  return ROUTES.map(({ call }) => call).filter((call) => !called.has(call));
}

const IDLE_METRICS = [
  'encryption_service.waiting',
  'encryption_service.secret_checks.in_flight',
  'http.server.active_requests',
];

/**
 * Matches errors that are caused by the emulator. It reads all rows for each tenant, so a run of `seal-audit` may time
 * out. The next run continues.
 */
const EMULATOR_BUSY =
  /^(?:(?:comparing|sealing|storing the next attempt to seal) .*(?:DeadlineExceeded|Error 15\b|out of time)|seal-audit finished with)/;

/** Stops the process, and checks its last metrics and its log. */
async function checkShutdown({ service, inspector, receiver, log, faults, promises }: Rig, runs: readonly JobRun[]) {
  inspector.close();
  const exitCode = await withDeadline(DRAIN_DEADLINE_MS, 'stopping the service', service.end('SIGTERM'));
  promises.expect('the process stops cleanly', exitCode === 0 ? [] : [`it ended with ${exitCode}`]);
  for (const name of IDLE_METRICS) {
    const points = receiver.points(name);
    const left = points.filter(([, level]) => level !== 0).map(([, level]) => `${name} is ${level}`);
    promises.expect(
      'queues are empty after the traffic',
      points.length === 0 ? [`no metric ${name}`] : left,
      points.length,
    );
  }
  // A run that a fault interrupts may log its failure only when it ends, after the fault.
  const isExplained = ({ at, words }: LoggedError) =>
    faults.during(at, at) !== undefined ||
    EMULATOR_BUSY.test(words) ||
    runs.some((run) => run.from <= at && at <= run.until && faults.during(run.from, run.until) !== undefined);
  const unexplained = log.errors.filter((error) => !isExplained(error)).map(({ words }) => words);
  promises.expect('no unexpected error is logged', unexplained, log.lines);
}
