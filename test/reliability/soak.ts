import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Job } from '../../emulators/base/service-hooks.ts';
import { ROOT } from '../sources.ts';
import { invoicesOf, statementOf, subscriptionEvent } from '../support/billing.ts';
import { type Addresses, control } from '../support/client.ts';
import { startReceiver } from '../support/otlp-receiver.ts';
import { startTestStack } from '../support/stacks.ts';
import { DAY_MS, MINUTE_MS } from '../support/steer.ts';
import { Client, makeTenant, signIn, type Tenant } from '../support/tenant.ts';
import { Gauge, REPORTS_HEAP } from './gauge.ts';
import {
  AT_ONCE,
  compareStored,
  decryptKept,
  forEach,
  type KnownKey,
  Ledger,
  noteRows,
  withDeadline,
} from './ledger.ts';
import { type Kind, makeProxiedService, type Part, type ProxiedService } from './proxied-service.ts';
import { administering, changingKeys, operating, reading, startTraffic, usingTransit } from './traffic.ts';

const TENANTS = 50;
const CLIENTS = 12;

/** The longest pause of a client before a request. */
const PAUSE_MS = 300;

/**
 * The number of rounds in a run that write audit rows. For each query, the emulator reads the rows of all tenants, and
 * it can read about as many rows in a second as these rounds write.
 */
const ROUNDS = 300;
const READS_A_MINUTE = 3_600;

/** The operations that keys have performed before the traffic. With these, they cost more than their monthly fee. */
const USED_BEFORE = { wrapped: 2_000, hsm: 10_000 };

/** The time for creating the tenants, before the traffic begins. */
const CREATION_MS = 10 * MINUTE_MS;
const DRAIN_MS = 2 * MINUTE_MS;
const CHECK_MS = 20 * MINUTE_MS;
/** The time limit for a run of a scheduled function. It is longer than any run should take. */
const RUN_MS = 5 * MINUTE_MS;
/** How often tenants sign in again, because a session ends after an hour. */
const SIGN_IN_MINUTES = 20;

const QUIET_MS = 20_000;
const FAULT_MS = 4_000;

/** How long after the end of a fault a request may still be refused because of the fault. */
const RECOVERY_MS = 5_000;

/** The faults, in the order in which they happen: of a kind from the drill `faults`, or a delay of all calls. */
const FAULTS: readonly (readonly [part: Part, fault: Kind | number])[] = [
  ['firestore', 100],
  ['kms', 'down'],
  ['pdp', 'down'],
  ['firestore', 'failing'],
  ['stripe', 'down'],
  ['kms', 'slow'],
  ['idp', 'down'],
  ['pdp', 'failing'],
  ['kms', 'failing'],
  ['firestore', 'down'],
  ['stripe', 'failing'],
];

/**
 * When each run starts, as a fraction of the duration of the traffic. Runs that read all rows start in the middle
 * third, because only the first and the last third are compared.
 */
const RUNS: readonly (readonly [at: number, job: Job])[] = [
  [0.2, 'destroy-due-keys'],
  [0.25, 'close-month'],
  [0.42, 'seal-audit'],
  [0.55, 'destroy-due-keys'],
  [0.58, 'seal-audit'],
  // The month ends halfway, at 0.5. By 0.65, all operations that were in progress at the end of the month have been
  // counted.
  [0.65, 'close-month'],
  [0.8, 'destroy-due-keys'],
  [0.85, 'close-month'],
];

/** More than the seven days after which a deleted key is destroyed. */
const DUE_AFTER_MS = 8 * DAY_MS;
/** Rows younger than two minutes are not sealed. */
const SETTLED_AFTER_MS = 3 * MINUTE_MS;
const MAX_RUNS = 20;

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

/**
 * npm run drill -- soak [--minutes N]: 50 tenants send mixed traffic across the end of a month, with temporary faults,
 * on a separate stack. Prints how figures have grown. Fails if one has grown too much, or if a promise is broken.
 */
export async function drill(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
  const minutes = Number(values.minutes);
  if (!(minutes >= 1)) throw new Error('--minutes must be at least 1');
  await using cleanup = new AsyncDisposableStack();
  const stack = await startTestStack();
  cleanup.defer(stack.stop);
  const began = performance.now();
  const say = (line: string) => {
    process.stdout.write(`${Math.round((performance.now() - began) / 1_000)} s: ${line}\n`);
  };
  const { flaws, figures } = await soak(stack, minutes, say);
  for (const line of [...figures, ...flaws]) process.stdout.write(`${line}\n`);
  if (flaws.length > 0 || figures.some((line) => line.startsWith('GROWN'))) process.exitCode = 1;
}

/** Periods in which a fault, a scheduled function or high load explains refusals or slow answers. */
class Disturbances {
  readonly #all: { readonly from: number; until: number }[] = [];

  /** Notes that a disturbance starts. Returns a function that notes its end. */
  begin(): () => void {
    const disturbance = { from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(disturbance);
    return () => {
      disturbance.until = performance.now();
    };
  }

  /** Notes a disturbance that has ended now. */
  add(from: number): void {
    this.#all.push({ from, until: performance.now() });
  }

  /** Returns whether there was a disturbance during this period or shortly before it. */
  during(from: number, until: number): boolean {
    return this.#all.some((one) => one.from <= until && from <= one.until + RECOVERY_MS);
  }
}

/**
 * Lets tenants use the service across the end of a month. Then compares what is stored with the answers. Returns a line
 * for each flaw and for each figure, and the numbers of requests, of faults and of decrypted ciphertexts.
 */
export async function soak(stack: Addresses, minutes: number, say: (line: string) => void) {
  await using cleanup = new AsyncDisposableStack();
  const [faults, runs, interrupted] = [new Disturbances(), new Disturbances(), new Disturbances()];
  const log = new ErrorLog();
  const receiver = await startReceiver();
  cleanup.defer(receiver.stop);
  const settings = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: receiver.url, RATE_LIMIT: 'on' };
  const service = await makeProxiedService(stack, settings, {
    flags: [...REPORTS_HEAP, `--import=${pathToFileURL(join(ROOT, 'functions/preload/all.ts'))}`],
    onOutput: (chunk) => log.take(chunk),
  });
  cleanup.defer(service.stop);
  await service.start();

  let offsetMs = 0;
  const now = () => Date.now() + offsetMs;
  const moveTo = async (ms: number) => {
    await control(stack, 'POST', '/clock', { now: new Date(ms).toISOString() });
    offsetMs = ms - Date.now();
    await service.ask({ clock_offset_us: offsetMs * 1_000 });
  };
  const hasFault = (from: number, until: number) => faults.during(from, until);
  const ledger = new Ledger({ now, hasFault });
  const { flaws } = ledger;

  const forMs = minutes * MINUTE_MS;
  const month = new Date(now() + CREATION_MS + forMs / 2);
  const monthEnd = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
  await moveTo(monthEnd - forMs / 2 - CREATION_MS);
  const made = forEach(Array.from({ length: TENANTS }), AT_ONCE, () => makeSoakTenant(stack, service, ledger));
  const tenants = await withDeadline(CREATION_MS, 'creating the tenants', made);
  say(`${tenants.length} tenants were created`);
  const signInAgain = () =>
    forEach(tenants, AT_ONCE, async (one) => {
      one.tenant = { ...one.tenant, console: await signIn(service, one.tenant.subject) };
    });
  await moveTo(monthEnd - forMs / 2);
  await signInAgain();

  const gauge = new Gauge();
  const stopping = new AbortController();
  const { signal } = stopping;
  const from = performance.now();
  const recordedShare = Math.min(0.1, ROUNDS / (READS_A_MINUTE * minutes));
  const traffic = startTraffic(
    ledger,
    () => Math.random() * PAUSE_MS,
    (send) => {
      const clients = tenants.map((one) => {
        // The same object, because the tenant's session changes.
        const setting = Object.assign(one, { ledger, send });
        const repeatEvent = async () => {
          const headers = one.event.sign(Math.floor(now() / 1_000));
          const by = new Client(service, undefined);
          await send({ by, call: 'POST /v1/webhooks/stripe', body: one.event.body, headers });
        };
        const kinds = [operating, changingKeys, administering, usingTransit].map((kind) => kind(setting));
        const recorded = [...kinds, repeatEvent];
        const read = reading(setting);
        return async () => (Math.random() < recordedShare ? recorded[randomInt(recorded.length)] : read)?.();
      });
      return Array.from({ length: CLIENTS }, () => async () => clients[randomInt(clients.length)]?.());
    },
  );
  const reportEachMinute = async () => {
    for (let minute = 1; ; minute++) {
      await pause(MINUTE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (minute % SIGN_IN_MINUTES === 0) await signInAgain();
      say(`minute ${minute}: ${gauge.last}`);
    }
  };
  const background = Promise.all([
    runFaults(service, faults, signal),
    runJobs(service, forMs, signal, { faults, runs, interrupted }),
    gauge.readResources(service.child(), signal),
    gauge.readDirectly(
      stack,
      tenants.map(({ tenant }) => tenant.id),
      signal,
      () => faults.begin(),
    ),
    reportEachMinute(),
  ]);
  // If something else fails during the traffic, the run ends immediately.
  await Promise.race([pause(forMs), background]);
  await withDeadline(DRAIN_MS, 'the traffic', traffic.stop());
  stopping.abort();
  const [faultCount] = await withDeadline(DRAIN_MS, 'the work beside the traffic', background);
  const sent = ledger.takeResults();
  say(`${sent.length} requests were answered, ${ledger.refusals} of them refused because of ${faultCount} faults`);
  const isQuiet = (start: number, end: number) => !faults.during(start, end) && !runs.during(start, end);
  const figures = gauge.compareThirds(from, from + forMs, sent, isQuiet);

  await pause(RECOVERY_MS + 1_000);
  let decrypted = 0;
  const check = async () => {
    decrypted = await decryptKept(ledger);
    say(`${decrypted} ciphertexts were decrypted`);
    const deleted = tenants.map(({ key }) => key);
    for (const { id, by } of deleted) await ledger.send({ by, call: `DELETE /v1/keys/${id}`, row: 'delete_key' });
    await moveTo(now() + DUE_AFTER_MS);
    flaws.push(...(await runUntilDone(service, 'destroy-due-keys')), ...(await runUntilDone(service, 'close-month')));
    await moveTo(now() + SETTLED_AFTER_MS);
    flaws.push(...(await runUntilDone(service, 'seal-audit')));
    for (const { id, by } of deleted) await ledger.send({ by, call: `GET /v1/keys/${id}`, refused: 'not_found' });
    await signInAgain();
    const usage = await compareStored(
      ledger,
      tenants.map(({ tenant }) => tenant),
      'all sealed',
    );
    const ended = new Date(monthEnd - 1).toISOString().slice(0, 7);
    const counted = new Map((usage.get(ended) ?? []).map(({ key_id, ops }) => [key_id, ops]));
    for (const { tenant } of tenants) flaws.push(...(await compareInvoice(stack, tenant, ended, counted)));
  };
  await withDeadline(CHECK_MS, 'the checks', check()).catch((error: unknown) => flaws.push(String(error)));

  const exitCode = await withDeadline(DRAIN_MS, 'stopping the service', service.end('SIGTERM'));
  if (exitCode !== 0) flaws.push(`the process ended with ${exitCode}`);
  for (const name of IDLE_METRICS) {
    const points = receiver.points(name);
    if (points.length === 0) flaws.push(`there is no metric ${name}`);
    for (const [, level] of points) if (level !== 0) flaws.push(`${name} is ${level} after the traffic`);
  }
  flaws.push(...log.unexplained((at) => faults.during(at, at) || interrupted.during(at, at)));
  return { flaws, figures, requests: sent.length, faults: faultCount, decrypted };
}

/** A tenant with a key that is deleted after the traffic. */
interface SoakTenant {
  tenant: Tenant;
  readonly key: KnownKey;
  /** Stripe's event about the tenant's subscription, which a client sends again. */
  readonly event: Awaited<ReturnType<typeof subscriptionEvent>>;
}

async function makeSoakTenant(stack: Addresses, service: Addresses, ledger: Ledger): Promise<SoakTenant> {
  const tenant = await makeTenant(service);
  const period = ledger.month();
  const [key] = await Promise.all(
    (['wrapped', 'hsm'] as const).map(async (tier) => {
      const made = ledger.addKey(await tenant.createKey(tier), tenant.api);
      const ops = USED_BEFORE[tier];
      await control(service, 'POST', '/usage', { key_id: made.id, period, ops });
      made.uses.set(period, { least: ops, most: ops });
      return made;
    }),
  );
  if (key === undefined) throw new Error('no key was made');
  await noteRows(ledger, tenant);
  return { tenant, key, event: await subscriptionEvent(stack, tenant.id) };
}

/** Starts and ends faults until the signal aborts. Returns the number of faults. */
async function runFaults(service: ProxiedService, disturbances: Disturbances, signal: AbortSignal): Promise<number> {
  const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => undefined);
  for (let count = 0; ; count++) {
    await wait(QUIET_MS);
    const next = FAULTS[count % FAULTS.length];
    if (signal.aborted || next === undefined) return count;
    const [part, fault] = next;
    const end = disturbances.begin();
    if (typeof fault === 'number') service.delay(part, fault);
    else await service.set(part, fault);
    await wait(FAULT_MS);
    await service.set(part, null);
    end();
  }
}

/** Runs a scheduled function once, and resolves to its summary. */
function runJob(service: ProxiedService, job: Job): Promise<unknown> {
  return withDeadline(RUN_MS, job, service.ask({ run: job }));
}

/**
 * Runs the scheduled functions during the traffic, and notes when they run, because they make requests slower. A run
 * may fail only during a fault. It may log its failure only when it ends, after the fault.
 */
async function runJobs(
  service: ProxiedService,
  forMs: number,
  signal: AbortSignal,
  { faults, runs, interrupted }: Readonly<Record<'faults' | 'runs' | 'interrupted', Disturbances>>,
): Promise<void> {
  const startedAt = performance.now();
  for (const [share, job] of RUNS) {
    const wait = startedAt + share * forMs - performance.now();
    await pause(Math.max(0, wait), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const from = performance.now();
    const end = runs.begin();
    await runJob(service, job).catch((error: unknown) => {
      if (!faults.during(from, performance.now())) throw error;
    });
    end();
    if (faults.during(from, performance.now())) interrupted.add(from);
  }
}

/** The summary of a scheduled function's run: how much work it did, and how much failed. */
const summary = z.record(z.string(), z.int());

/** Runs a scheduled function until it has no more work. Returns a flaw if that takes too many runs. */
async function runUntilDone(service: ProxiedService, job: Job): Promise<string[]> {
  let did: unknown;
  for (let run = 0; run < MAX_RUNS; run++) {
    // A run may fail. As in a deployment, the next run then continues its work.
    did = await runJob(service, job).catch(String);
    const parsed = summary.safeParse(did);
    if (parsed.success && Object.values(parsed.data).every((count) => count === 0)) return [];
  }
  return [`${job} after ${MAX_RUNS} runs: ${JSON.stringify(did)}`];
}

/** Compares a tenant's statement for a month with the counts, and its only invoice with the statement. */
async function compareInvoice(
  stack: Addresses,
  { id, console }: Tenant,
  month: string,
  counted: ReadonlyMap<string, number>,
): Promise<string[]> {
  const { lines, total_cents } = await statementOf(console, month);
  // A destroyed key that was never used is missing from the counts.
  const wrong = lines.filter(({ key_id, ops }) => ops !== (counted.get(key_id) ?? 0));
  const invoices = (await invoicesOf(stack, id)).filter(({ period }) => period === month);
  const totals = invoices.map(({ total }) => String(total)).join(' and ');
  return [
    ...wrong.map(({ key_id, ops }) => `key ${key_id}: ${ops} on the statement, ${counted.get(key_id)} counted`),
    ...(totals === total_cents ? [] : [`a statement of ${total_cents} cents, and invoices of ${totals || 'nothing'}`]),
  ];
}

const line = z.object({ severity: z.string(), message: z.string(), error: z.string().optional() });

/** The errors in the log of a process, except errors of requests, because the answers already show these. */
class ErrorLog {
  readonly #errors: { readonly at: number; readonly words: string }[] = [];
  #rest = '';

  take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const text of lines.filter((one) => one.startsWith('{'))) {
      const { severity, message, error } = line.parse(JSON.parse(text));
      if (severity !== 'ERROR' || message === 'request failed') continue;
      this.#errors.push({ at: performance.now(), words: error === undefined ? message : `${message}: ${error}` });
    }
  }

  unexplained(isExplained: (at: number) => boolean): string[] {
    const unexplained = this.#errors.filter(({ at, words }) => !isExplained(at) && !EMULATOR_BUSY.test(words));
    return unexplained.map(({ words }) => `logged: ${words}`);
  }
}
