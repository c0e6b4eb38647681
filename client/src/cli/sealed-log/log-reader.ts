import type { Entry } from '../../../../shared/transparency/entry.ts';
import type { Seal } from '../../../../shared/transparency/seal.ts';
import { Timestamp } from '../../api/timestamp.ts';
import type { EncryptionService } from '../../service.ts';
import { entryOf, sealOf } from './answers.ts';

const PAGE = 1000;
/** The audit rows of consecutive seals are read together if these seals have at most this many entries in total. */
const TOGETHER = 10_000;

export interface ShownSeal {
  readonly seal: Seal;
  /** `undefined` for a missing entry. */
  readonly entries: readonly (Entry | undefined)[];
  readonly rows: readonly Entry[];
}

export class LogReader {
  readonly #service: EncryptionService;
  /** The last page of entries that was read. Its first entry has the index `#first`. */
  #page: readonly (Entry | undefined)[] = [];
  #first = 0;

  constructor(service: EncryptionService) {
    this.#service = service;
  }

  /** Yields all seals with their entries and rows, oldest first. */
  async *seals(): AsyncGenerator<ShownSeal, void> {
    for (let from = 0; ; ) {
      const page = (await this.#service.readAuditSeals({ from, limit: PAGE })).map(sealOf);
      for (const group of groups(page)) yield* this.#show(group);
      const last = page.at(-1);
      if (last === undefined || page.length === 0) return;
      // The index comes from the service. A wrong index must not make the loop read earlier seals again.
      from = Math.max(from, last.index) + 1;
    }
  }

  async restorations(): Promise<string[]> {
    const statements: string[] = [];
    for (let from = 0; ; from += PAGE) {
      const page = await this.#service.readAuditRestorations({ from, limit: PAGE });
      if (page.length === 0) return statements;
      statements.push(...page);
    }
  }

  async rows(since: string | undefined, until: string | undefined): Promise<Entry[]> {
    const rows: Entry[] = [];
    const window = { ...(since && { since: new Timestamp(since) }), ...(until && { until: new Timestamp(until) }) };
    for await (const event of this.#service.readAudit({ ...window, limit: PAGE })) rows.push(entryOf(event));
    return rows;
  }

  async *#show(group: readonly Seal[]): AsyncGenerator<ShownSeal, void> {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return;
    const rows = first.from < last.until ? await this.rows(first.from, last.until) : [];
    for (const seal of group) {
      const own = rows.filter(({ ts }) => seal.from <= String(ts) && String(ts) < seal.until);
      yield { seal, entries: await this.#entries(seal), rows: own };
    }
  }

  /** Returns the entries of a seal, or fewer if the log ends earlier. */
  async #entries({ first_entry, entries }: Seal): Promise<(Entry | undefined)[]> {
    const found: (Entry | undefined)[] = [];
    while (found.length < entries) {
      const at = first_entry + found.length;
      if (at < this.#first || at >= this.#first + this.#page.length) {
        const page = await this.#service.readAuditEntries({ from: at, limit: PAGE });
        this.#page = page.map((event) => (event === null ? undefined : entryOf(event)));
        this.#first = at;
        if (page.length === 0) break;
      }
      const offset = at - this.#first;
      found.push(...this.#page.slice(offset, offset + entries - found.length));
    }
    return found;
  }
}

function groups(seals: readonly Seal[]): Seal[][] {
  const all: Seal[][] = [];
  let entries = 0;
  for (const seal of seals) {
    const group = all.at(-1);
    entries += seal.entries;
    if (group?.at(-1)?.until === seal.from && entries <= TOGETHER) {
      group.push(seal);
    } else {
      all.push([seal]);
      entries = seal.entries;
    }
  }
  return all;
}
