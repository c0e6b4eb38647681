import type { AuditEvent, DailyUsageLine, UsageLine } from '../../../client/src/types.ts';

/** The month in which a request was in progress (`YYYY-MM`), or `between` if a month ended in that time. */
export type When = string;
export const BETWEEN: When = 'between';

/** Counts how often something was done in each month. */
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

/** The operations with a key: those that were acknowledged, and those that failed but may have been counted. */
interface Operations {
  readonly acknowledged: Count;
  readonly uncertain: Count;
}

/** The minimum and the maximum number of audit rows that a request may have. */
interface Rows {
  readonly operation: string;
  readonly least: number;
  readonly most: number;
}

/** What the service must have counted and recorded for a tenant, according to its answers. */
export class Ledger {
  /** The number of operations that the service acknowledged. */
  acknowledged = 0;
  readonly #operations = new Map<string, Operations>();
  readonly #rows = new Map<string, Rows>();

  /** Notes operations that the service acknowledged. */
  counted(keyId: string, when: When, times: number): void {
    this.acknowledged += times;
    this.usedBefore(keyId, when, times);
  }

  /** Notes operations that were counted before the traffic, without a request. */
  usedBefore(keyId: string, when: When, times: number): void {
    this.#of(keyId).acknowledged.add(when, times);
  }

  /** Notes operations that failed but may have been counted. */
  maybeCounted(keyId: string, when: When, times: number): void {
    this.#of(keyId).uncertain.add(when, times);
  }

  /** Notes how many audit rows of successes a request must have. */
  recorded(requestId: string, operation: string, least: number, most = least): void {
    this.#rows.set(requestId, { operation, least, most });
  }

  get uncertain(): number {
    return [...this.#operations.values()].reduce((sum, { uncertain }) => sum + uncertain.total, 0);
  }

  get rows(): number {
    return [...this.#rows.values()].reduce((sum, { least }) => sum + least, 0);
  }

  /** Returns the differences between the counts of all months and the operations that were acknowledged. */
  compareUsage(usage: ReadonlyMap<string, readonly UsageLine[]>): string[] {
    const flaws: string[] = [];
    const opsOf = (keyId: string, month: string) => usage.get(month)?.find(({ key_id }) => key_id === keyId)?.ops ?? 0;
    const compare = (what: string, ops: number, least: number, most: number) => {
      if (ops < least || ops > most)
        flaws.push(`${what}: ${ops} counted, ${least} acknowledged, at most ${most} performed`);
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
    return [...flaws, ...unknown.map(({ key_id, ops }) => `key ${key_id}: ${ops} counted, but no operation was sent`)];
  }

  /**
   * Returns the differences between all audit rows and the operations that were acknowledged. Ignores rows without a
   * request id, because the service itself wrote them.
   */
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
      flaws.push(`${rows[0]?.operation} ${requestId}: an audit row that belongs to no request`);
    return flaws;
  }

  #of(keyId: string): Operations {
    const known = this.#operations.get(keyId) ?? { acknowledged: new Count(), uncertain: new Count() };
    this.#operations.set(keyId, known);
    return known;
  }
}

/** Returns a line for each key whose counts per day do not add up to its count for the month. */
export function compareDays(usage: readonly UsageLine[], days: readonly DailyUsageLine[]): string[] {
  const byKey = Map.groupBy(days, ({ key_id }) => key_id);
  return usage.flatMap(({ key_id, ops }) => {
    const sum = (byKey.get(key_id) ?? []).reduce((total, day) => total + day.ops, 0);
    return sum === ops ? [] : [`key ${key_id}: ${ops} counted in the month, but ${sum} on its days`];
  });
}
