import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import type { Entry } from './entry.ts';
import { type Finding, findingIn, type Seal } from './seal.ts';
import type { VerifierKey } from './verifier-key.ts';

/** Times in this format sort as text. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Checks the seal's own fields, and that the seal continues `previous`, which is `undefined` for the first seal. */
export function checkPlace(seal: Seal, previous: Seal | undefined): Finding[] {
  const index = previous === undefined ? 0 : previous.index + 1;
  if (seal.index > index) {
    const missing = seal.index - 1 === index ? `seal ${index} is` : `seals ${index} to ${seal.index - 1} are`;
    return [findingIn(seal, 'seal_missing', `${missing} missing before it`)];
  }
  if (seal.index < index) return [findingIn(seal, 'seal_repeated', `found in place of seal ${index}`)];
  const broken = (words: string) => findingIn(seal, 'seal_broken', words);
  const findings: Finding[] = [];
  if (previous !== undefined && seal.from !== previous.until) {
    findings.push(broken(`does not start at ${previous.until}, where the previous seal ends`));
  }
  if (!TIME.test(seal.from) || !TIME.test(seal.until) || seal.from >= seal.until) {
    findings.push(broken('its period is empty or malformed'));
  }
  if (seal.first_entry !== (previous?.size ?? 0)) {
    findings.push(broken(`starts at entry ${seal.first_entry}, not at entry ${previous?.size ?? 0}`));
  }
  if (!Number.isSafeInteger(seal.entries) || seal.entries < 1 || seal.size !== seal.first_entry + seal.entries) {
    findings.push(
      broken(
        `inconsistent numbers: ${seal.entries} entries from entry ${seal.first_entry}, but a log size of ${seal.size}`,
      ),
    );
  }
  return findings;
}

/** Verifies the signed checkpoint, and that the seal's size and root are the same as in the checkpoint. */
export function checkSignature(seal: Seal, key: VerifierKey): { signed?: Checkpoint; findings: Finding[] } {
  const opened = openCheckpoint(seal.checkpoint, key);
  if ('refused' in opened) {
    return { findings: [findingIn(seal, 'signature_wrong', `its checkpoint was rejected (${opened.refused})`)] };
  }
  const { checkpoint: signed } = opened;
  if (signed.size === seal.size && signed.root === seal.root) return { signed, findings: [] };
  const words =
    'its size or root differs from the signed checkpoint: the seal was altered, or its checkpoint was replaced';
  return { signed, findings: [findingIn(seal, 'seal_altered', words)] };
}

/** Finds missing entries and entries in the wrong place, without computing hashes. */
export function checkEntries(seal: Seal, entries: readonly (Entry | undefined)[]): Finding[] {
  const missing: string[] = [];
  const misplaced: string[] = [];
  let before: Entry | undefined;
  for (const [at, entry] of entries.entries()) {
    const number = String(seal.first_entry + at);
    if (entry === undefined) missing.push(number);
    else if (at >= seal.entries || !isWithin(seal, entry) || !isAfter(entry, before)) misplaced.push(number);
    before = entry ?? before;
  }
  // The number of entries in an altered seal may be larger than any log.
  const atEnd = Math.max(0, seal.entries - entries.length);
  const count = missing.length + atEnd;
  for (let at = 0; at < Math.min(atEnd, SHOWN); at++) missing.push(String(seal.first_entry + entries.length + at));
  const findings: Finding[] = [];
  if (count > 0) findings.push(findingIn(seal, 'entry_missing', `${list('entry', missing, count)}: deleted`));
  if (misplaced.length > 0) {
    const words = `${list('entry', misplaced)}: outside the seal's period, or out of order`;
    findings.push(findingIn(seal, 'entry_misplaced', words));
  }
  return findings;
}

/** The most names in a finding. */
const SHOWN = 5;
const PLURAL = { entry: 'entries', event: 'events' } as const;

/** Returns the first names in words. `count` is the number of all names, if `names` lacks some. */
export function list(what: keyof typeof PLURAL, names: readonly string[], count = names.length): string {
  const shown = names.slice(0, SHOWN);
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return `${count === 1 ? what : PLURAL[what]} ${shown.join(', ')}${more}`;
}

function isWithin(seal: Seal, { ts }: Entry): boolean {
  return typeof ts === 'string' && TIME.test(ts) && seal.from <= ts && ts < seal.until;
}

/** Whether an entry comes after another entry in the order of `ts` and then `id`. */
function isAfter(entry: Entry, before: Entry | undefined): boolean {
  return before === undefined || `${before.ts} ${before.id}` < `${entry.ts} ${entry.id}`;
}
