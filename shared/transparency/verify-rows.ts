import { type Entry, encodeEntry } from './entry.ts';
import { type Finding, findingIn, type Seal } from './seal.ts';
import { list } from './verify-seal.ts';

/**
 * How the events that the audit log shows of a seal's period differ from the entries of the seal. Both are given in any
 * order: `rows` are the events of `from <= ts < until`.
 */
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
    const words = 'in the audit log and not sealed: added, backdated, or committed too late';
    findings.push(findingIn(seal, 'row_added', `${list('event', added)}: ${words}`));
  }
  if (altered.length > 0) {
    findings.push(
      findingIn(seal, 'row_altered', `${list('event', altered)}: the audit log shows another than is sealed`),
    );
  }
  if (sealed.size > 0) {
    findings.push(
      findingIn(seal, 'row_missing', `${list('event', [...sealed.keys()])}: sealed and not in the audit log`),
    );
  }
  return findings;
}

function text(entry: Entry): string {
  return new TextDecoder().decode(encodeEntry(entry));
}
