import { endOf, UNSEALED_BY_TIME, type Unsealed } from '../audit/unsealed.ts';
import { makeInstant, SECOND_US } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import { JOB_BEGINS_MS } from '../run-time.ts';
import type { WithId } from '../store/store.ts';
import { type Outcome, SETTLED_AFTER_US, type SealNeeds, sealTenant, type TenantToSeal } from './seal-tenant.ts';

/** Sealing waits for Firestore most of the time: so many tenants side by side keep a processor busy. */
const CONCURRENCY = 16;

/** What a run did. */
export interface SealSummary {
  /** Seals that were made, and the entries in them. */
  readonly sealed: number;
  readonly entries: number;
  /** Tenants that stay for a later run. */
  readonly failed: number;
}

/**
 * Seals the log of every tenant that has rows since its last seal, those longest waiting first. Who has more rows than one
 * seal takes comes again after everybody had a turn. Begins nothing more after `forMs` milliseconds. Safe to run twice at
 * once, and to begin again wherever it stopped.
 */
export async function sealAudit(needs: SealNeeds, forMs = JOB_BEGINS_MS): Promise<SealSummary> {
  const giveUpAt = performance.now() + forMs;
  const outcomes: Outcome[] = [];
  let waiting = await findTenants(needs, giveUpAt);
  while (waiting.length > 0 && performance.now() < giveUpAt) {
    const again: TenantToSeal[] = [];
    const bounds = { concurrency: CONCURRENCY, forMs: giveUpAt - performance.now() };
    const round = await mapConcurrently(waiting, bounds, async (tenant) => {
      const outcome = await sealTenant(needs, tenant);
      if (outcome.more) again.push(tenant);
      return outcome;
    });
    outcomes.push(...round);
    waiting = again;
  }
  const sealed = outcomes.filter(({ entries }) => entries > 0);
  const summary = {
    sealed: sealed.length,
    entries: sealed.reduce((sum, { entries }) => sum + entries, 0),
    failed: outcomes.filter(({ failed }) => failed).length,
  };
  const fields = { ...summary, oldest_due_s: await readOldestDue(needs) };
  needs.log.write(summary.failed > 0 ? 'ERROR' : 'INFO', 'seal-audit', fields);
  return summary;
}

/** The tenants that have rows to seal, each once, with all of its marks that are found in time. */
async function findTenants({ store, clock }: SealNeeds, giveUpAt: number): Promise<TenantToSeal[]> {
  const marks = new Map<TenantId, WithId<Unsealed>[]>();
  const until = makeInstant(clock.now() + 1);
  for await (const page of store.pagesWithIds(UNSEALED_BY_TIME, { equal: [], until })) {
    for (const mark of page) {
      const own = marks.get(mark.doc.tenant_id);
      if (own === undefined) marks.set(mark.doc.tenant_id, [mark]);
      else own.push(mark);
    }
    if (performance.now() > giveUpAt) break;
  }
  return [...marks].map(([tenantId, own]) => ({ tenantId, marks: own }));
}

/** For how long, in whole seconds, the longest waiting rows could have been sealed; 0 when none are late. */
async function readOldestDue({ store, clock }: SealNeeds): Promise<number> {
  const now = clock.now();
  const [oldest] = await store.select(UNSEALED_BY_TIME, { equal: [], until: makeInstant(now + 1), limit: 1 });
  return oldest === undefined ? 0 : Math.max(0, Math.floor((now - endOf(oldest) - SETTLED_AFTER_US) / SECOND_US));
}
