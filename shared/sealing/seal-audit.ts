import { endOf, MARK_SHARDS, UNSEALED_BY_TIME, type Unsealed } from '../audit/unsealed.ts';
import { type Clock, type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import type { Config } from '../config.ts';
import { JOB_BEGINS_MS } from '../run-time.ts';
import type { Store, WithId } from '../store/store.ts';
import { findBehind, isComparisonDue, sealBehind } from './compare.ts';
import type { Signer } from './log-key.ts';
import type { SealServices } from './seal-services.ts';
import { SETTLED_AFTER_US, type SealOutcome, sealTenant, type TenantToSeal } from './seal-tenant.ts';

/** Sixteen tenants use one CPU, because sealing mostly waits for Firestore. */
export const SEALING: Turns = {
  what: 'seals that `seal-audit` makes',
  owner: 'tenant',
  running: 16,
  runningPerOwner: 1,
};

interface SealSummary {
  /** The number of new seals. `entries` is the number of entries in them. */
  readonly sealed: number;
  readonly entries: number;
  /** The number of tenants for which sealing failed. The next run retries them. */
  readonly failed: number;
}

type Turn = SealOutcome & { readonly tenantId: TenantId };

interface SealingJob extends Omit<SealServices, 'signer'> {
  readonly signer: Signer | undefined;
  readonly config: Config;
}

/** Seals the logs of all tenants, if configured. In the local stack, each run also compares rows with seals. */
export async function sealAudit(services: SealingJob): Promise<SealSummary> {
  const { signer, clock, config } = services;
  if (signer === undefined) return { sealed: 0, entries: 0, failed: 0 };
  const compares = config.firestoreEmulatorHost !== undefined || isComparisonDue(clock.now());
  return sealRows({ ...services, signer }, compares);
}

/**
 * Seals the logs of tenants with new rows, beginning with the oldest rows. Finds the tenants by their marks. If
 * `compares` is set, also compares all rows with the seals. A tenant with more rows than one seal can hold has another
 * turn after all other tenants. Starts no seal after `forMs` milliseconds. Idempotent, even if runs overlap.
 */
export async function sealRows(services: SealServices, compares: boolean, forMs = JOB_BEGINS_MS): Promise<SealSummary> {
  const startedAt = performance.now();
  const until = makeInstant(services.clock.now() - SETTLED_AFTER_US);
  // Half of the time is reserved for the comparison.
  const marksUntil = startedAt + (compares ? forMs / 2 : forMs);
  const marked = await findTenants(services, marksUntil);
  const first = await sealInTurns(marked, marksUntil, (tenant) => sealTenant(services, tenant));
  const behind = compares ? await sealBehindRows(services, marked, first, until, startedAt + forMs) : [];
  const turns = [...first, ...behind];
  const sealed = turns.filter(({ entries }) => entries > 0);
  const summary = {
    sealed: sealed.length,
    entries: sealed.reduce((sum, { entries }) => sum + entries, 0),
    failed: turns.filter(({ failed }) => failed).length,
  };
  const fields = { ...summary, oldest_due_s: await readOldestDue(services) };
  services.log.write(summary.failed > 0 ? 'seal-audit finished with failures' : 'seal-audit finished', fields);
  return summary;
}

async function sealInTurns(
  tenants: readonly TenantToSeal[],
  giveUpAt: number,
  seal: (tenant: TenantToSeal) => Promise<SealOutcome>,
): Promise<Turn[]> {
  const queue = new FairQueue(SEALING);
  const turns: Turn[] = [];
  const sealAll = async (tenant: TenantToSeal) => {
    for (let more = true; more; ) {
      using _turn = await queue.take(tenant.tenantId);
      if (performance.now() >= giveUpAt) return;
      const outcome = await seal(tenant);
      turns.push({ ...outcome, tenantId: tenant.tenantId });
      more = outcome.more;
    }
  };
  await Promise.all(tenants.map(sealAll));
  return turns;
}

/** Seals tenants with unsealed rows. Logs those without a mark: a mark must stay until its rows are sealed. */
async function sealBehindRows(
  services: SealServices,
  marked: readonly TenantToSeal[],
  turns: readonly Turn[],
  until: Instant,
  giveUpAt: number,
): Promise<Turn[]> {
  const known = new Set(marked.map(({ tenantId }) => tenantId));
  const failed = new Set(turns.flatMap((turn) => (turn.failed ? turn.tenantId : [])));
  const behind = await findBehind(services, until, giveUpAt);
  for (const tenant_id of behind.filter((tenantId) => !known.has(tenantId))) {
    services.log.write('sealing marks missing for unsealed audit events', { tenant_id });
  }
  const left = behind.filter((tenantId) => !failed.has(tenantId)).map((tenantId) => ({ tenantId, marks: [] }));
  return sealInTurns(left, giveUpAt, ({ tenantId }) => sealBehind(services, tenantId, until));
}

/** Returns the tenants with marks, each with all of its marks that could be read before `giveUpAt`. */
async function findTenants(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  giveUpAt: number,
): Promise<TenantToSeal[]> {
  const marks = new Map<TenantId, WithId<Unsealed>[]>();
  const until = makeInstant(clock.now() + 1);
  for await (const page of store.pagesWithIds(UNSEALED_BY_TIME, { equal: [], anyOf: MARK_SHARDS, until })) {
    for (const mark of page) {
      const own = marks.get(mark.doc.tenant_id);
      if (own === undefined) marks.set(mark.doc.tenant_id, [mark]);
      else own.push(mark);
    }
    if (performance.now() > giveUpAt) break;
  }
  return [...marks].map(([tenantId, own]) => ({ tenantId, marks: own }));
}

/** Returns how many seconds ago the oldest unsealed rows became due, or 0. */
async function readOldestDue({ store, clock }: { readonly store: Store; readonly clock: Clock }): Promise<number> {
  const now = clock.now();
  const [oldest] = await store.select(UNSEALED_BY_TIME, {
    equal: [],
    anyOf: MARK_SHARDS,
    until: makeInstant(now + 1),
    limit: 1,
  });
  return oldest === undefined ? 0 : Math.max(0, Math.floor((now - endOf(oldest) - SETTLED_AFTER_US) / SECOND_US));
}
