import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import { secretsOf } from './environment.ts';
import { FUNCTION_NAMES, FUNCTIONS } from './functions.ts';
import { readDeployment } from './read-deployment.ts';
import { SCHEDULES } from './schedules.ts';
import { alertPolicies } from './steps/monitoring.ts';

/**
 * List prices in US dollars in us-central1, without free quotas, for one unit. docs/performance.md has the same prices,
 * with their sources.
 */
export const PRICES = {
  'Firestore read': 0.03 / 100_000,
  'Firestore write': 0.09 / 100_000,
  'Firestore GiB': 0.15,
  'KMS call': 0.03 / 10_000,
  'KMS version, SOFTWARE': 0.06,
  'KMS version, HSM': 1,
  'gateway call': 3 / 1_000_000,
  'Cloud Run request': 0.4 / 1_000_000,
  'vCPU second': 0.000024,
  'GiB second': 0.0000025,
  'log GiB': 0.5,
  'alert condition': 1.5,
  'Cloud Scheduler job': 0.1,
  'secret version': 0.06,
  'forwarding rule': 0.025 * 730,
} as const;

const HOURS = 24;
const DAYS = 30;

/** Returns how often a schedule runs in a month of 30 days. Months and days of the week must be `*`. */
export function runsPerMonth(cron: string): number {
  const [minute = '', hour = '', day = ''] = cron.split(' ');
  return values(minute, 60) * values(hour, HOURS) * values(day, DAYS);
}

/** Returns how many values a field has: all, steps, a list or a range. */
function values(field: string, all: number): number {
  const [, step] = /^\*(?:\/(\d+))?$/.exec(field) ?? [];
  if (field.startsWith('*')) return Math.ceil(all / Number(step ?? 1));
  return field.split(',').reduce((sum, part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return sum + last - first + 1;
  }, 0);
}

/** A line of a bill. */
interface CostLine {
  readonly what: string;
  readonly count: number;
  readonly dollars: number;
  /** How to make the line smaller. Empty if it cannot be. */
  readonly lower: string;
}

const ROOT = join(import.meta.dirname, '..');

/** How long a scheduled run without work keeps its instance, in seconds. Estimated. */
const RUN_S = 2;
/** The decision point has a vCPU and this much memory in each instance. */
const DECISION_GIB = 0.25;
/** Google checks `/health` every minute from six places, and each check takes about a tenth of a second. */
const CHECKS = 6 * 60 * 24 * 30;
const CHECK_S = 0.1;

/** Returns what a deployment costs in a month without any request, by line, the largest first. */
export function idleCost(deployment: Deployment): CostLine[] {
  const conditions = alertPolicies(deployment).flatMap((policy) => policy.conditions).length;
  const runs = Object.values(SCHEDULES).map(({ calls, cron }) => ({
    count: runsPerMonth(cron),
    gib: FUNCTIONS[calls].memoryMiB / 1024,
  }));
  const runCount = sum(runs.map(({ count }) => count));
  const runDollars = sum(
    runs.map(
      ({ count, gib }) => count * (PRICES['Cloud Run request'] + time(RUN_S, 1, gib) + 4 * PRICES['Firestore read']),
    ),
  );
  const health = FUNCTIONS.health.memoryMiB / 1024 + DECISION_GIB;
  const secrets = new Set(FUNCTION_NAMES.flatMap((name) => secretsOf(deployment, name))).size + 1;
  const least = sum(FUNCTION_NAMES.map((name) => FUNCTIONS[name].instances[0]));
  const root = deployment.rootProtection === 'hsm' ? 'HSM' : 'SOFTWARE';
  const lines: CostLine[] = [
    {
      what: 'alert conditions',
      count: conditions,
      dollars: conditions * PRICES['alert condition'],
      lower: 'delete alerts that you do not need, from deploy/monitoring/alerts.ts',
    },
    {
      what: 'uptime checks of /health',
      count: CHECKS,
      dollars: CHECKS * (PRICES['gateway call'] + PRICES['Cloud Run request'] + time(CHECK_S, 2, health)),
      lower: 'check every five minutes: `--period=5` in deploy/steps/monitoring.ts',
    },
    {
      what: 'scheduled runs without work',
      count: runCount,
      dollars: runDollars,
      lower: 'run less often: deploy/schedules.ts',
    },
    {
      what: 'Cloud Scheduler jobs',
      count: runs.length,
      dollars: runs.length * PRICES['Cloud Scheduler job'],
      lower: '',
    },
    {
      what: `wrapped root (${root}) and signing key`,
      count: 2,
      dollars: PRICES[`KMS version, ${root}`] + PRICES['KMS version, SOFTWARE'],
      lower: 'set `rootProtection` to `software` in the first deployment',
    },
    { what: 'secrets', count: secrets, dollars: secrets * PRICES['secret version'], lower: 'destroy old versions' },
    { what: 'instances that always run', count: least, dollars: least * time(30 * 24 * 3600, 1, 1), lower: '' },
    ...(deployment.apiOrigin === undefined
      ? []
      : [
          {
            what: 'load balancer of the domain',
            count: 1,
            dollars: PRICES['forwarding rule'],
            lower: 'do without `apiOrigin`',
          },
        ]),
  ];
  return lines.toSorted((one, other) => other.dollars - one.dollars);
}

/** What one operation uses, counted with one request in flight and with 64. */
interface OperationCounts {
  readonly operation: string;
  readonly tier: string;
  readonly inFlight: number;
  readonly reads: number;
  readonly writes: number;
  readonly kmsCalls: number;
  readonly logBytes: number;
}

/** Returns the counted operations, which the benchmark has written into docs/performance.md. */
export function countedOperations(): OperationCounts[] {
  const page = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
  const rows = page.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| (\d+) \|/gm);
  return [...rows].map(([, operation = '', tier = '', ...numbers]) => {
    const [inFlight = 0, reads = 0, writes = 0, kmsCalls = 0, logBytes = 0] = numbers.map(Number);
    return { operation, tier, inFlight, reads, writes, kmsCalls, logBytes };
  });
}

/** An entry of the Data Access log for a call of the KMS or a commit has about 1 KiB. */
const ACCESS_LOG_BYTES = 1024;
/** A stored audit row, with its indexes. */
const ROW_GIB = 1.3 / 1_000_000;

/** Returns what a number of operations costs, by line, the largest first. */
export function operationCost(counts: OperationCounts, operations: number): CostLine[] {
  const line = (what: string, perOperation: number, price: number, lower: string) => ({
    what,
    count: perOperation * operations,
    dollars: perOperation * operations * price,
    lower,
  });
  const accessLogGib = ((counts.kmsCalls + counts.writes) * ACCESS_LOG_BYTES) / 2 ** 30;
  return [
    line('gateway calls', 1, PRICES['gateway call'], 'encrypt data keys (`wrap`) instead of every value'),
    line('Cloud Run requests', 1, PRICES['Cloud Run request'], ''),
    line(
      'Firestore reads',
      counts.reads,
      PRICES['Firestore read'],
      'send operations at the same time: they share reads',
    ),
    line(
      'Firestore writes',
      counts.writes,
      PRICES['Firestore write'],
      'send operations at the same time: they share commits',
    ),
    line('KMS calls', counts.kmsCalls, PRICES['KMS call'], 'use `wrapped` keys'),
    line('log', counts.logBytes / 2 ** 30, PRICES['log GiB'], ''),
    line(
      'Data Access logs',
      accessLogGib,
      PRICES['log GiB'],
      'turn off `DATA_WRITE` of Firestore in deploy/data-access.ts',
    ),
    line('audit rows stored for a month', ROW_GIB, 2 * PRICES['Firestore GiB'], ''),
  ].toSorted((one, other) => other.dollars - one.dollars);
}

/** The keys of an assumed tenant, and its operations in a month. */
const TENANT = { wrapped: 2, software: 1, hsm: 1, operations: 100_000 } as const;

/** Returns what this many assumed tenants cost in a month, by line, the largest first. */
export function tenantCost(deployment: Deployment, tenants: number): CostLine[] {
  const [wrapped, software] = (['wrapped', 'software'] as const).map((tier) => {
    const found = countedOperations().find(
      (one) => one.tier === tier && one.operation === 'encrypt' && one.inFlight === 1,
    );
    if (found === undefined) throw new Error(`docs/performance.md has no counts for ${tier}`);
    return operationCost(found, (tenants * TENANT.operations) / 2);
  });
  const versions = [
    {
      what: 'KMS versions of `software` keys (three each)',
      count: 3 * TENANT.software * tenants,
      price: PRICES['KMS version, SOFTWARE'],
    },
    {
      what: 'KMS versions of `hsm` keys (two each)',
      count: 2 * TENANT.hsm * tenants,
      price: PRICES['KMS version, HSM'],
    },
  ].map(({ what, count, price }) => ({
    what,
    count,
    dollars: count * price,
    lower: 'charge for them: a paid key has a fee',
  }));
  const idle = idleCost(deployment);
  const all = [...(wrapped ?? []), ...(software ?? []), ...versions];
  const merged = [...Map.groupBy(all, ({ what }) => what).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined
      ? []
      : [{ ...first, count: sum(same.map(({ count }) => count)), dollars: sum(same.map(({ dollars }) => dollars)) }];
  });
  return [
    ...merged,
    {
      what: `an idle deployment${deployment.apiOrigin === undefined ? ', without a domain' : ''}`,
      count: 1,
      dollars: sum(idle.map(({ dollars }) => dollars)),
      lower: 'see the first table',
    },
  ].toSorted((one, other) => other.dollars - one.dollars);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Returns the price of an instance for a time. */
function time(seconds: number, cpus: number, gib: number): number {
  return seconds * (cpus * PRICES['vCPU second'] + gib * PRICES['GiB second']);
}

const EXAMPLE = readDeployment(join(import.meta.dirname, 'deployment.example.json'));
const MILLION = 1_000_000;

type Rows = readonly (readonly string[])[];

/** Returns the rows of the table of an idle deployment. */
export function idleRows(): Rows {
  return withTotal(idleCost({ ...EXAMPLE, apiOrigin: 'https://api.example.com' }));
}

/** Returns a row for each counted operation: what a million cost, and the largest line. */
export function operationRows(): Rows {
  // Google charges the same for calls with HSM keys.
  const hsm = countedOperations().flatMap((one) => (one.tier === 'software' ? { ...one, tier: 'hsm' } : []));
  return [...countedOperations(), ...hsm].map((counts) => {
    const lines = operationCost(counts, MILLION);
    const [largest] = lines;
    return [
      `\`${counts.operation}\``,
      `\`${counts.tier}\``,
      String(counts.inFlight),
      dollars(sum(lines.map((line) => line.dollars))),
      `${largest?.what}, ${dollars(largest?.dollars ?? 0)}`,
      largest?.lower ?? '',
    ];
  });
}

/** Returns the rows of the table of this many tenants. */
export function tenantRows(tenants: number): Rows {
  return withTotal(tenantCost(EXAMPLE, tenants));
}

function withTotal(lines: readonly CostLine[]): Rows {
  const rows = lines.map(({ what, count, dollars: amount, lower }) => [what, number(count), dollars(amount), lower]);
  return [...rows, ['**sum**', '', `**${dollars(sum(lines.map((line) => line.dollars)))}**`, '']];
}

function dollars(amount: number): string {
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
