import { type AuditEvent, EncryptionServiceError, type Seal } from '../../../client/src/index.ts';
import { service } from '../session/session.ts';
import { Answers } from './answer.ts';

/** The age at which an event without a seal is late. The service seals events every ten minutes. */
const LATE_MS = 30 * 60_000;

export interface Sealing {
  /** `undefined` before the first seal. */
  readonly newest: Seal | undefined;
  /** Whether events have waited longer than {@link LATE_MS} for a seal. */
  readonly isLate: boolean;
}

/** Whether an event is in a seal, still waits for one, or is missing from the seal that covers its time. */
export type SealState = { readonly seal: Seal } | 'waits' | 'missing';

/** The newest seal of the audit log. `null` if the deployment does not seal audit logs. */
export const sealing = new Answers(async (): Promise<Sealing | null> => {
  try {
    const newest = await findNewestSeal();
    return { newest, isLate: await hasLateEvents(newest) };
  } catch (error) {
    if (error instanceof EncryptionServiceError && error.code === 'not_found') return null;
    throw error;
  }
});

/**
 * Returns whether an event is sealed. Finds the seal that covers the event's time with a binary search, then the event
 * among the entries of this seal.
 */
export async function findSealState(event: AuditEvent, newest: Seal | undefined): Promise<SealState> {
  const ts = textOf(event.ts);
  if (newest === undefined || ts >= textOf(newest.until)) return 'waits';
  const seal = await lastUpTo(0, newest.index + 1, readSeal, ({ from }) => textOf(from) <= ts);
  if (seal === undefined) return 'missing';
  const order = ts + event.id;
  const end = seal.first_entry + seal.entries;
  const entry = await lastUpTo(seal.first_entry, end, readEntry, (other) => textOf(other.ts) + other.id <= order);
  return entry?.id === event.id ? { seal } : 'missing';
}

/**
 * Returns the newest seal. The API lists seals from a given index. So the search doubles its step until it passes the
 * newest seal, then halves the step.
 */
async function findNewestSeal(): Promise<Seal | undefined> {
  let newest = (await service().readAuditSeals()).at(-1);
  let grows = true;
  for (let step = 1; newest !== undefined && step >= 1; step = grows ? step * 2 : step / 2) {
    const further: Seal | undefined = (await service().readAuditSeals({ from: newest.index + step })).at(-1);
    if (further === undefined) grows = false;
    else newest = further;
  }
  return newest;
}

async function hasLateEvents(newest: Seal | undefined): Promise<boolean> {
  const { value: latest } = await service().readAudit({ limit: 1 }).next();
  // The browser's clock may be slow. So the current time is at least the time of the newest event, as in `esk audit
  // verify`.
  const nowMs = latest === undefined ? Date.now() : Math.max(Date.now(), latest.ts.getTime());
  const until = new Date(nowMs - LATE_MS);
  if (newest !== undefined && newest.until > until) return false;
  const waiting = service().readAudit({ ...(newest !== undefined && { since: newest.until }), until, limit: 1 });
  return (await waiting.next()).done !== true;
}

const readSeal = async (index: number) => (await service().readAuditSeals({ from: index, limit: 1 }))[0];
const readEntry = async (index: number) => (await service().readAuditEntries({ from: index, limit: 1 }))[0];

/**
 * Returns the last item for which `isUpTo` returns true. Searches the indexes from `start` up to, but not including,
 * `end`. The items must be sorted.
 */
async function lastUpTo<T>(
  start: number,
  end: number,
  read: (index: number) => Promise<T | null | undefined>,
  isUpTo: (thing: T) => boolean,
): Promise<T | undefined> {
  let found: T | undefined;
  let [low, high] = [start, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const thing = await read(middle);
    if (thing != null && isUpTo(thing)) {
      found = thing;
      low = middle + 1;
    } else high = middle;
  }
  return found;
}

/** Returns a time as the service wrote it, with microseconds. The methods of `Date` would return only milliseconds. */
function textOf(time: Date): string {
  return time.toJSON();
}
