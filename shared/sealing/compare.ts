import { randomInt } from 'node:crypto';
import { EVENTS, ROW_SHARDS, TENANTS_OF_ROWS } from '../audit/event.ts';
import { HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import { parseId, type TenantId } from '../base/ids.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import type { Services } from '../services.ts';
import { countSeals, SEAL_HEADS } from './head.ts';
import type { SealServices } from './seal-services.ts';
import { type Outcome, sealTenant } from './seal-tenant.ts';
import { SEALS, sealId } from './seals.ts';

/** Tenant ids are processed in this many parts concurrently. */
const PARTS = 16;
/** The values of an id's first four hexadecimal digits per part. */
const PART = 0x10000 / PARTS;

/**
 * Two runs an hour, in case one fails. The clock decides, because a document could be altered. The scheduler may be
 * five minutes late.
 */
export function isComparisonDue(now: Instant): boolean {
  return (now + 5 * MINUTE_US) % (30 * MINUTE_US) < 10 * MINUTE_US;
}

/**
 * Finds tenants with a row before `until` after their newest seal. Uses no marks, which an attacker could remove.
 * Starts nothing after `giveUpAt`.
 */
export async function findBehind(services: SealServices, until: Instant, giveUpAt: number): Promise<TenantId[]> {
  const behind: TenantId[] = [];
  const parts = cutIds();
  const bounds = { concurrency: parts.length, forMs: giveUpAt - performance.now() };
  const ended = await mapConcurrently(parts, bounds, async ([past, before]) => {
    for await (const value of services.store.distinct(TENANTS_OF_ROWS, past, before)) {
      if (performance.now() > giveUpAt) return false;
      const tenantId = parseId<TenantId>(value);
      if (tenantId !== undefined && (await isBehind(services, tenantId, until))) behind.push(tenantId);
    }
    return true;
  });
  if (ended.filter(Boolean).length < parts.length) {
    services.log.write('comparing events with seals ran out of time');
  }
  return behind;
}

/** Makes the tenant's next seal. Logs rows an hour older than `until` that could not be sealed. */
export async function sealBehind(services: SealServices, tenantId: TenantId, until: Instant): Promise<Outcome> {
  const outcome = await sealTenant(services, { tenantId, marks: [] });
  const isIdle = outcome.entries === 0 && !outcome.failed;
  if (isIdle && (await isBehind(services, tenantId, makeInstant(until - HOUR_US)))) {
    services.log.write('audit events unsealed for more than an hour', { tenant_id: tenantId });
  }
  return outcome;
}

/** The cuts are random, so that a run out of time skips other tenants than the last one. */
function cutIds(): (readonly [past: string, before: string])[] {
  const first = randomInt(PART);
  const cuts = Array.from({ length: PARTS }, (_, part) => (first + part * PART).toString(16).padStart(4, '0'));
  return ['', ...cuts].map((past, at) => [past, cuts[at] ?? 'g']);
}

/** Whether the newest row before `until` is later than the newest seal. A failure is logged. */
async function isBehind(
  { store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>,
  tenantId: TenantId,
  until: Instant,
): Promise<boolean> {
  try {
    const newest = store.select(EVENTS, { equal: [tenantId], anyOf: ROW_SHARDS, until, limit: 1 });
    const [[row], head] = await Promise.all([newest, store.find(SEAL_HEADS, tenantId)]);
    if (row === undefined) return false;
    // The head only locates the newest seal. A wrong head leads to an older seal or to none.
    const seal = head && (await store.find(SEALS, sealId(tenantId, countSeals(head) - 1)));
    return seal === undefined || row.ts >= seal.until || seal.until > clock.now();
  } catch (error) {
    log.write('comparing events with seals failed for a tenant', { tenant_id: tenantId }, error);
    return false;
  }
}
