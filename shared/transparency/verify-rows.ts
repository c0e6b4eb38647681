import { type Entry, encodeEntry } from './entry.ts';
import { type Finding, findingIn, type Seal } from './seal.ts';
import { list } from './verify-seal.ts';

/** An event must be sealed within this time. Seals are made every ten minutes, so a few runs may fail. */
const SEALED_WITHIN_MS = 60 * 60_000;

/** Compares the audit rows of a seal's period (`from <= ts < until`) with its entries. Both may be in any order. */
export function checkRows(seal: Seal, entries: readonly (Entry | undefined)[], rows: readonly Entry[]): Finding[] {
  const sealed = new Map(entries.flatMap((entry) => (entry === undefined ? [] : [[String(entry.id), text(entry)]])));
  const added: string[] = [];
  const altered: string[] = [];
  for (const row of rows) {
    const id = String(row.id);
    const entry = sealed.get(id);
    if (entry === undefined) added.push(id);
    else if (entry !== text(row)) altered.push(id);
    sealed.delete(id);
  }
  const findings: Finding[] = [];
  if (added.length > 0) {
    const words = 'in the audit log but not sealed (added, backdated or stored too late)';
    findings.push(findingIn(seal, 'row_added', `${list('event', added)}: ${words}`));
  }
  if (altered.length > 0) {
    findings.push(findingIn(seal, 'row_altered', `${list('event', altered)}: not the same as the sealed version`));
  }
  if (sealed.size > 0) {
    findings.push(
      findingIn(seal, 'row_missing', `${list('event', [...sealed.keys()])}: sealed but missing from the audit log`),
    );
  }
  return findings;
}

/**
 * Finds unsealed events that are more than an hour old. If the newest event is later than this machine's clock
 * (`nowMs`), its time counts as now.
 */
export function checkUnsealed(rows: readonly Entry[], nowMs: number): Finding[] {
  const newestMs = rows.reduce((newest, { ts }) => Math.max(newest, Date.parse(String(ts))), nowMs);
  const due = new Date(newestMs - SEALED_WITHIN_MS).toISOString().replace('Z', '000Z');
  const late = rows.filter(({ ts }) => String(ts) < due);
  if (late.length === 0) return [];
  const ids = late.map(({ id }) => String(id));
  const message = `${list('event', ids)}: more than an hour old but not sealed (sealing failed or was stopped)`;
  return [{ code: 'unsealed', seal: null, message }];
}

function text(entry: Entry): string {
  return new TextDecoder().decode(encodeEntry(entry));
}
