import { setTimeout as pause } from 'node:timers/promises';
import { connectInspector } from '../../../bench/memory/inspector.ts';
import { sparePort } from '../../../bench/servers.ts';
import { ROOT } from '../../sources.ts';
import { type Addresses, control } from '../../support/client.ts';
import { startReceiver } from '../../support/otlp-receiver.ts';
import { MINUTE_MS } from '../../support/steer.ts';
import { besetService } from '../beset-service.ts';
import { type Checked, checkBooks, checkValues, letTimePass } from './checks.ts';
import { type Reading, readAgainAndAgain } from './gauge.ts';
import { forEach, inTime } from './in-time.ts';
import { runJobs } from './jobs.ts';
import { compareThirds, isLevel, type Level } from './level.ts';
import { LogLines } from './log-lines.ts';
import { makeMovedClock, monthOf, nextMonth } from './moved-clock.ts';
import { haveFaults } from './passing-faults.ts';
import { type Outcome, Promises } from './promises.ts';
import { Sender } from './sender.ts';
import { makeSoakTenant, People, type SoakTenant } from './tenants.ts';
import { sendTraffic } from './traffic.ts';
import { Troubles } from './troubles.ts';

const TENANTS = 50;
/** The tenants are made in this time before the traffic begins. */
const SET_UP_MS = 10 * MINUTE_MS;
const MADE_AT_A_TIME = 6;
const DRAINED_WITHIN_MS = 2 * MINUTE_MS;
const RECOVERED_AFTER_MS = 6_000;
const CHECKED_WITHIN_MS = 20 * MINUTE_MS;
/** Firestore's emulator reads all rows for a query of one tenant's, so no more are written than it reads in a second or two. */
const RECORDED_STEPS = 6_000;
const STEPS_A_SECOND = 65;
/** What keys that are paid for have used before, so that their month costs more than its fee. */
const USED_BEFORE = { wrapped: 2_000, software: 0, hsm: 10_000, free: 0 };

/** How long and with which random numbers. */
export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Is given a line about how far it is. */
  readonly say: (line: string) => void;
}

/** What was found. */
export interface Findings {
  readonly levels: readonly Level[];
  readonly outcomes: readonly Outcome[];
  readonly requests: number;
  readonly uncertain: number;
  readonly refusals: ReadonlyMap<string, number>;
  readonly faults: number;
  /** The share of one core that the process took. */
  readonly cores: number;
}

/** Has tenants use the service for so many minutes, across the end of a month, then holds what it kept against what was answered. */
export async function soak(stack: Addresses, { minutes, seed, say }: SoakOptions): Promise<Findings> {
  await using cleanup = new AsyncDisposableStack();
  const forMs = minutes * MINUTE_MS;
  const promises = new Promises();
  const flaw = (words: string) => promises.expect('answers are as documented', [words], 0);
  const [faults, noise] = [new Troubles(), new Troubles()];
  const log = new LogLines();
  const receiver = await startReceiver();
  cleanup.defer(() => receiver.stop());
  const inspectorPort = sparePort(stack, 1);
  const service = await besetService(stack, {
    env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: receiver.url, RATE_LIMIT: 'on' },
    flags: [`--inspect=127.0.0.1:${inspectorPort}`, `--import=${ROOT}/functions/preload/all.ts`],
    onOutput: (chunk) => log.take(chunk),
  });
  cleanup.defer(() => service.stop());
  await service.start();
  const inspector = await connectInspector(inspectorPort);
  cleanup.defer(() => inspector.close());

  const clock = makeMovedClock(stack, service);
  const monthEnd = nextMonth(clock.now() + SET_UP_MS + forMs);
  await clock.set(monthEnd - forMs / 2 - SET_UP_MS);
  const people = new People(stack);
  const sender = new Sender(service.baseUrl, clock, faults, flaw);
  const equipment = { sender, people, flaw };
  const tenants: SoakTenant[] = [];
  const setUp = forEach(Array.from({ length: TENANTS }), MADE_AT_A_TIME, async () => {
    const tenant = await makeSoakTenant(stack, sender, people);
    await useBefore(stack, tenant, monthOf(clock.now()));
    tenants.push(tenant);
  });
  await inTime(SET_UP_MS, 'making the tenants', setUp);
  say(`${tenants.length} tenants are made`);

  await clock.set(monthEnd - forMs / 2);
  people.forget();
  const stop = new AbortController();
  const from = performance.now();
  const until = from + forMs;
  const recordedShare = Math.min(0.5, RECORDED_STEPS / (STEPS_A_SECOND * 60 * minutes));
  const readings: Reading[] = [];
  const beside = Promise.all([
    haveFaults(service, faults, stop.signal),
    runJobs(service, forMs, stop.signal, noise),
    readAgainAndAgain(service, inspector, stop.signal, readings),
    tellProgress(),
  ]);
  const traffic = sendTraffic(equipment, tenants, { until, seed, recordedShare });
  await inTime(forMs + DRAINED_WITHIN_MS, 'the traffic', Promise.race([traffic, beside.then(() => traffic)]));
  stop.abort();
  const [hadFaults, runs] = await inTime(DRAINED_WITHIN_MS, 'faults, readings and scheduled functions', beside);
  say(`the traffic has ended: ${sender.sent.length} requests answered`);
  const requests = sender.sent.length;
  const isQuiet = (at: number, end: number) => (faults.during(at, end) ?? noise.during(at, end)) === undefined;
  const levels = compareThirds({ from, until }, readings, sender.sent, isQuiet);

  // What the last fault explains is over before the checks begin.
  await pause(RECOVERED_AFTER_MS);
  const checked: Checked = { service, clock, equipment, tenants, ended: monthOf(monthEnd - 1) };
  const check = async () => {
    await checkValues(checked, promises);
    say('the values are opened');
    await letTimePass(checked, promises);
    say('eight days have passed');
    await checkBooks(checked, promises);
  };
  await inTime(CHECKED_WITHIN_MS, 'the checks', check());
  inspector.close();
  const exitCode = await inTime(DRAINED_WITHIN_MS, 'stopping the service', service.end('SIGTERM'));
  promises.expect('the process stops cleanly', exitCode === 0 ? [] : [`it ended with ${exitCode}`]);
  const waiting = [
    'encryption_service.waiting',
    'encryption_service.secret_checks.in_flight',
    'http.server.active_requests',
  ];
  for (const name of waiting) {
    const points = receiver.points(name);
    const left = points
      .filter(([, level]) => level !== 0)
      .map(([of, level]) => `${name} ${JSON.stringify(of)} is ${level}`);
    promises.expect('queues are empty at rest', points.length === 0 ? [`no figure of ${name}`] : left, points.length);
  }
  const isExplained = (at: number) =>
    faults.during(at, at) !== undefined ||
    runs.some((run) => run.from <= at && at <= run.until && faults.during(run.from, run.until) !== undefined);
  promises.expect(
    'nothing unexpected is logged',
    log.errors.filter(({ at }) => !isExplained(at)).map(({ words }) => words),
    log.errors.length,
  );
  for (const level of levels)
    promises.expect(
      'figures are level',
      isLevel(level) ? [] : [`${level.name} went from ${level.first} to ${level.last}`],
    );
  promises.kept('answers are as documented', requests);
  const [firstReading, lastReading] = [readings[0], readings.at(-1)];
  const cores =
    firstReading && lastReading
      ? (lastReading.cpuUs - firstReading.cpuUs) / 1_000 / (lastReading.at - firstReading.at)
      : Number.NaN;
  const uncertain = tenants.reduce((sum, { ledger }) => sum + ledger.uncertain, 0);
  return {
    levels,
    outcomes: promises.outcomes,
    requests,
    uncertain,
    refusals: sender.refusals,
    faults: hadFaults,
    cores,
  };

  async function tellProgress(): Promise<void> {
    for (let minute = 1; !stop.signal.aborted; minute++) {
      await pause(MINUTE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      const last = readings.at(-1);
      const heap =
        last === undefined ? '' : `, ${Math.round(last.heapBytes / 2 ** 20)} MiB in use, ${last.sockets} sockets`;
      if (!stop.signal.aborted) say(`minute ${minute}: ${sender.sent.length} requests answered${heap}`);
    }
  }
}

/** Has keys counted as used before, which no row says. */
async function useBefore(stack: Addresses, { keys, ledger }: SoakTenant, period: string): Promise<void> {
  for (const { id, tier } of keys) {
    const ops = USED_BEFORE[tier];
    if (ops === 0) continue;
    await control(stack, 'POST', '/usage', { key_id: id, period, ops });
    ledger.counted(id, period, ops);
  }
}
