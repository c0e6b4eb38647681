import { endOf, UNSEALED, type Unsealed } from '../audit/unsealed.ts';
import { type Clock, HOUR_US, MINUTE_US, makeInstant } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Store, WithId } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { decideSeal } from './decide.ts';
import { changeHead, loadHead } from './head.ts';
import type { SealServices } from './seal-services.ts';
import { signPending } from './sign-pending.ts';
import { signRestoration } from './sign-restoration.ts';

/** Rows may be stored seconds after their `ts`, so younger rows are not sealed yet. */
export const SETTLED_AFTER_US = 2 * MINUTE_US;

/** The pause after a second failure. It doubles up to an hour. A first failure is retried at once. */
const FIRST_PAUSE_US = 10 * MINUTE_US;
const LONGEST_PAUSE_US = HOUR_US;

/** The maximum number of marks that one commit removes. A commit may have 500 writes. */
const REMOVED_TOGETHER = 400;

export interface TenantToSeal {
  readonly tenantId: TenantId;
  readonly marks: readonly WithId<Unsealed>[];
}

/** The result of sealing one tenant. `more` means that rows remain for another seal. */
export interface SealOutcome {
  readonly entries: number;
  readonly failed: boolean;
  readonly more: boolean;
}

const NOTHING: SealOutcome = { entries: 0, failed: false, more: false };

/** Makes a tenant's next seal. After a failure, logs the error and delays the tenant's next attempt. */
export async function sealTenant(services: SealServices, tenant: TenantToSeal): Promise<SealOutcome> {
  try {
    return await sealNext(services, tenant);
  } catch (error) {
    const { tenantId } = tenant;
    services.log.write('sealing failed for a tenant; the next run retries it', { tenant_id: tenantId }, error);
    await pause(services, tenantId).catch((again) => {
      services.log.write(
        'storing the next attempt to seal a log failed; the next run retries it',
        { tenant_id: tenantId },
        again,
      );
    });
    return { ...NOTHING, failed: true };
  }
}

async function sealNext(services: SealServices, { tenantId, marks }: TenantToSeal): Promise<SealOutcome> {
  const { store, clock } = services;
  const now = clock.now();
  const found = await loadHead(store, tenantId);
  if (!(await signRestoration(services, found))) return NOTHING;
  const { doc } = found;
  if (doc.retry_at > now + LONGEST_PAUSE_US) {
    services.log.write('sealing pause longer than an hour ignored', { tenant_id: tenantId });
  } else if (doc.retry_at > now) return NOTHING;
  if (doc.pending === null) await reportLate(services, tenantId, doc.until, marks);
  const until = makeInstant(now - SETTLED_AFTER_US);
  const decided = await decideSeal(store, tenantId, until);
  const end = decided?.doc.until ?? until;
  const done = marks.filter(({ doc: mark }) => endOf(mark) <= end).map(({ id }) => id);
  if (decided === undefined) {
    await removeMarks(store, done);
    return NOTHING;
  }
  await signPending(services, decided, removing(done.slice(0, REMOVED_TOGETHER)));
  await removeMarks(store, done.slice(REMOVED_TOGETHER));
  return { entries: decided.doc.pending?.entries ?? 0, failed: false, more: end < until };
}

async function removeMarks(store: Store, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += REMOVED_TOGETHER) {
    await store.write(removing(ids.slice(start, start + REMOVED_TOGETHER)));
  }
}

function removing(ids: readonly string[]): (writes: Writes) => void {
  return (writes) => {
    for (const id of ids) writes.remove(UNSEALED, id);
  };
}

/** Logs rows that were stored after their period was sealed. Their marks are for a sealed period. */
async function reportLate(services: SealServices, tenantId: TenantId, until: number, marks: TenantToSeal['marks']) {
  for (const { id, doc } of marks.filter((mark) => endOf(mark.doc) <= until)) {
    if ((await services.store.find(UNSEALED, id)) === undefined) continue;
    const fields = { tenant_id: tenantId, since: doc.since };
    services.log.write('audit event stored after its period was sealed', fields);
    await removeMarks(services.store, [id]);
  }
}

function pause({ store, clock }: { readonly store: Store; readonly clock: Clock }, tenantId: TenantId): Promise<void> {
  return changeHead(store, tenantId, (head) => {
    const wait = head.failures === 0 ? 0 : Math.min(FIRST_PAUSE_US * 2 ** (head.failures - 1), LONGEST_PAUSE_US);
    return { ...head, failures: head.failures + 1, retry_at: makeInstant(clock.now() + wait) };
  });
}
