import { randomInt } from 'node:crypto';
import { EVENTS, ROW_SHARDS, TENANTS_OF_ROWS } from '../audit/event.ts';
import { type Clock, HOUR_US, type Instant, MINUTE_US, makeInstant } from '../base/clock.ts';
import { parseId, type TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import { countSeals, SEAL_HEADS } from './head.ts';
import type { SealServices } from './seal-services.ts';
import { type SealOutcome, sealTenant } from './seal-tenant.ts';
import { SEALS, sealId } from './seals.ts';

/** The number of parts into which the tenant ids are split. The parts are processed concurrently. */
const PARTS = 16;
/** The size of a part, counted in values of the first four hexadecimal digits of an id. */
const PART = 0x10000 / PARTS;

type Part = readonly [past: string, before: string];

/**
 * Whether this run must compare rows with seals. Two runs an hour do, in case one fails. Only the time decides, because
 * an attacker could alter a stored marker. The scheduler may be five minutes late.
 */
export function isComparisonDue(now: Instant): boolean {
  return (now + 5 * MINUTE_US) % (30 * MINUTE_US) < 10 * MINUTE_US;
}

/**
 * Finds tenants that have a row from before `until` that their newest seal does not cover. Does not use marks, because
 * an attacker could remove them. Starts no more work after `giveUpAt`.
 */
export async function findBehind(services: SealServices, until: Instant, giveUpAt: number): Promise<TenantId[]> {
  const behind: TenantId[] = [];
  const parts = cutIds();
  const compare = async ([past, before]: Part) => {
    for await (const value of services.store.distinct(TENANTS_OF_ROWS, past, before)) {
      if (performance.now() > giveUpAt) return false;
      const tenantId = parseId<TenantId>(value);
      if (tenantId !== undefined && (await isBehind(services, tenantId, until))) behind.push(tenantId);
    }
    return true;
  };
  const ended = await Promise.all(parts.map(compare));
  if (!ended.every(Boolean)) services.log.write('comparing events with seals ran out of time');
  return behind;
}

/** Makes the tenant's next seal. Logs an event if nothing was sealed although a row over an hour old is unsealed. */
export async function sealBehind(services: SealServices, tenantId: TenantId, until: Instant): Promise<SealOutcome> {
  const outcome = await sealTenant(services, { tenantId, marks: [] });
  const isIdle = outcome.entries === 0 && !outcome.failed;
  if (isIdle && (await isBehind(services, tenantId, makeInstant(until - HOUR_US)))) {
    services.log.write('audit events unsealed for more than an hour', { tenant_id: tenantId });
  }
  return outcome;
}

/** Splits the tenant ids at random points, so that runs that end early do not all skip the same tenants. */
function cutIds(): Part[] {
  const first = randomInt(PART);
  const cuts = Array.from({ length: PARTS }, (_, part) => (first + part * PART).toString(16).padStart(4, '0'));
  return ['', ...cuts].map((past, at) => [past, cuts[at] ?? 'g']);
}

/**
 * Whether the newest row before `until` is later than the newest seal. If that cannot be read, logs the failure and
 * returns `false`.
 */
async function isBehind(
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
  tenantId: TenantId,
  until: Instant,
): Promise<boolean> {
  try {
    const newest = store.select(EVENTS, { equal: [tenantId], anyOf: ROW_SHARDS, until, limit: 1 });
    const [[row], head] = await Promise.all([newest, store.find(SEAL_HEADS, tenantId)]);
    if (row === undefined) return false;
    // An altered head can only lead to an older seal or to no seal. In both cases the tenant is sealed again.
    const seal = head && (await store.find(SEALS, sealId(tenantId, countSeals(head) - 1)));
    return seal === undefined || row.ts >= seal.until || seal.until > clock.now();
  } catch (error) {
    log.write('comparing events with seals failed for a tenant', { tenant_id: tenantId }, error);
    return false;
  }
}
