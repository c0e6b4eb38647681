import type { AuditEvent, DailyUsageLine, UsageLine } from '../../../client/src/types.ts';

/** The month of a request (`YYYY-MM`), or `between` if a month ended during the request. */
export type When = string;
export const BETWEEN: When = 'between';

class Count {
  readonly #times = new Map<When, number>();

  add(when: When, times: number): void {
    this.#times.set(when, this.in(when) + times);
  }

  in(when: When): number {
    return this.#times.get(when) ?? 0;
  }

  get total(): number {
    return [...this.#times.values()].reduce((sum, times) => sum + times, 0);
  }
}

/** Acknowledged operations on a key, and operations that may or may not be counted. */
interface Operations {
  readonly acknowledged: Count;
  readonly uncertain: Count;
}

/** The limits for the number of a request's audit rows. */
interface Rows {
  readonly operation: string;
  readonly least: number;
  readonly most: number;
}

/** What must be counted and recorded for a tenant, according to the answers. */
export class Ledger {
  acknowledged = 0;
  readonly #operations = new Map<string, Operations>();
  readonly #rows = new Map<string, Rows>();

  /** Records acknowledged operations. */
  counted(keyId: string, when: When, times: number): void {
    this.acknowledged += times;
    this.usedBefore(keyId, when, times);
  }

  /** Records operations that are counted without a request. */
  usedBefore(keyId: string, when: When, times: number): void {
    this.#of(keyId).acknowledged.add(when, times);
  }

  /** Records operations that failed, and may still be counted. */
  perhapsCounted(keyId: string, when: When, times: number): void {
    this.#of(keyId).uncertain.add(when, times);
  }

  /** Records how many successful rows a request must have. */
  recorded(requestId: string, operation: string, least: number, most = least): void {
    this.#rows.set(requestId, { operation, least, most });
  }

  get uncertain(): number {
    return [...this.#operations.values()].reduce((sum, { uncertain }) => sum + uncertain.total, 0);
  }

  get rows(): number {
    return [...this.#rows.values()].reduce((sum, { least }) => sum + least, 0);
  }

  /** Compares all counts of these months with the acknowledged operations. Returns the flaws. */
  compareUsage(usage: ReadonlyMap<string, readonly UsageLine[]>): string[] {
    const flaws: string[] = [];
    const opsOf = (keyId: string, month: string) => usage.get(month)?.find(({ key_id }) => key_id === keyId)?.ops ?? 0;
    const compare = (what: string, ops: number, least: number, most: number) => {
      if (ops < least || ops > most) flaws.push(`${what}: ${ops} counted, ${least} acknowledged, at most ${most} done`);
    };
    for (const [keyId, { acknowledged, uncertain }] of this.#operations) {
      for (const month of usage.keys()) {
        const least = acknowledged.in(month);
        const either = acknowledged.in(BETWEEN) + uncertain.in(month) + uncertain.in(BETWEEN);
        compare(`key ${keyId} in ${month}`, opsOf(keyId, month), least, least + either);
      }
      const all = [...usage.keys()].reduce((sum, month) => sum + opsOf(keyId, month), 0);
      compare(`key ${keyId}`, all, acknowledged.total, acknowledged.total + uncertain.total);
    }
    const unknown = [...usage.values()].flat().filter(({ key_id, ops }) => ops > 0 && !this.#operations.has(key_id));
    return [...flaws, ...unknown.map(({ key_id, ops }) => `key ${key_id}: ${ops} counted, none were sent`)];
  }

  /** Compares all rows with the acknowledged operations. Rows without a request are the service's own. */
  compareRows(events: readonly AuditEvent[]): string[] {
    const flaws: string[] = [];
    if (new Set(events.map(({ id }) => id)).size < events.length) flaws.push('pages of the audit log repeat a row');
    const successes = events.filter(({ result, request_id }) => result === 'success' && request_id !== null);
    const found = Map.groupBy(successes, ({ request_id }) => request_id);
    for (const [requestId, { operation, least, most }] of this.#rows) {
      const rows = found.get(requestId) ?? [];
      found.delete(requestId);
      if (rows.length < least || rows.length > most) {
        flaws.push(
          `${operation} ${requestId}: ${rows.length} rows, not ${least === most ? least : `${least} to ${most}`}`,
        );
      }
      const others = rows.filter((row) => row.operation !== operation);
      if (others.length > 0) flaws.push(`${operation} ${requestId}: a row of ${others[0]?.operation}`);
    }
    for (const [requestId, rows] of found)
      flaws.push(`${rows[0]?.operation} ${requestId}: a row that nobody asked for`);
    return flaws;
  }

  #of(keyId: string): Operations {
    const known = this.#operations.get(keyId) ?? { acknowledged: new Count(), uncertain: new Count() };
    this.#operations.set(keyId, known);
    return known;
  }
}

/** Returns a flaw for each key whose days do not add up to its month. */
export function compareDays(usage: readonly UsageLine[], days: readonly DailyUsageLine[]): string[] {
  const byKey = Map.groupBy(days, ({ key_id }) => key_id);
  return usage.flatMap(({ key_id, ops }) => {
    const sum = (byKey.get(key_id) ?? []).reduce((total, day) => total + day.ops, 0);
    return sum === ops ? [] : [`key ${key_id}: ${ops} counted in the month, ${sum} on its days`];
  });
}
