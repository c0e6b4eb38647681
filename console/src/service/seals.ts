import { type AuditEvent, EncryptionServiceError, type Seal } from '../../../client/src/index.ts';
import { service } from '../session/session.ts';
import { Answers } from './answer.ts';

/** Events are sealed every ten minutes: what is older than this and is not sealed is late. */
const LATE_MS = 30 * 60_000;

/** How far the tenant's audit log is sealed. */
export interface Sealing {
  /** The newest seal; `undefined` before the first. */
  readonly newest: Seal | undefined;
  /** Whether events wait for a seal for longer than they should. */
  readonly isLate: boolean;
}

/** What is known of an event: the seal that it is in, that it waits for one, or that the seal of its time lacks it. */
export type Place = { readonly seal: Seal } | 'waits' | 'missing';

/** How far the log is sealed; `null` where the deployment does not seal. */
export const sealing = new Answers(async (): Promise<Sealing | null> => {
  try {
    const newest = await findNewestSeal();
    return { newest, isLate: await hasLateEvents(newest) };
  } catch (error) {
    if (error instanceof EncryptionServiceError && error.code === 'not_found') return null;
    throw error;
  }
});

/** The place of an event in the sealed log, by the routes of that log. */
export async function findPlace(event: AuditEvent, newest: Seal | undefined): Promise<Place> {
  const ts = textOf(event.ts);
  if (newest === undefined || ts >= textOf(newest.until)) return 'waits';
  const seal = await lastUpTo(0, newest.index + 1, readSeal, ({ from }) => textOf(from) <= ts);
  if (seal === undefined) return 'missing';
  const order = ts + event.id;
  const end = seal.first_entry + seal.entries;
  const entry = await lastUpTo(seal.first_entry, end, readEntry, (other) => textOf(other.ts) + other.id <= order);
  return entry?.id === event.id ? { seal } : 'missing';
}

/** Seals are read by index, oldest first: steps ahead by ever more, then by ever less. */
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
  // As `esk audit verify` reckons: the browser's clock may be slow.
  const nowMs = latest === undefined ? Date.now() : Math.max(Date.now(), latest.ts.getTime());
  const until = new Date(nowMs - LATE_MS);
  if (newest !== undefined && newest.until > until) return false;
  const waiting = service().readAudit({ ...(newest !== undefined && { since: newest.until }), until, limit: 1 });
  return (await waiting.next()).done !== true;
}

const readSeal = async (index: number) => (await service().readAuditSeals({ from: index, limit: 1 }))[0];
const readEntry = async (index: number) => (await service().readAuditEntries({ from: index, limit: 1 }))[0];

/** The last thing from `start` to before `end`, which are in order, that comes up to what is sought. */
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

/** A time as the service wrote it: a `Date` alone has no microseconds. */
function textOf(time: Date): string {
  return time.toJSON();
}
