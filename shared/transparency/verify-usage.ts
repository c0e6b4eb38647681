import type { Entry } from './entry.ts';
import type { Finding } from './seal.ts';

/**
 * An operation counts in the month in which it was checked, but its row has the time at which the operation ended.
 * The longest request takes 20 seconds, so rows in a month's first 20 seconds may count in the previous month.
 */
const LONGEST_REQUEST = ':20.000000Z';
const isOfFirstSeconds = (ts: string) => ts.slice(8, 16) === '01T00:00' && ts.slice(16) < LONGEST_REQUEST;

interface Count {
  readonly all: number;
  readonly first: number;
}

const NONE: Count = { all: 0, first: 0 };

interface CountedOperations {
  readonly key_id: string;
  readonly ops: number;
}

/** Counts the successful metered operations in a log, to compare them with the billed operations. */
export class OperationCounts {
  readonly #metered: ReadonlySet<unknown>;
  readonly #months = new Map<string, Map<string, Count>>();

  constructor(metered: readonly string[]) {
    this.#metered = new Set(metered);
  }

  add({ operation, result, key_id, ts }: Entry): void {
    if (result !== 'success' || !this.#metered.has(operation)) return;
    const [key, time] = [String(key_id), String(ts)];
    const keys = this.#keysOf(time.slice(0, 7));
    const { all, first } = keys.get(key) ?? NONE;
    keys.set(key, { all: all + 1, first: first + (isOfFirstSeconds(time) ? 1 : 0) });
  }

  /**
   * Compares the log of an ended month (`YYYY-MM`) with its usage lines. If the row of an operation could not be
   * written, the operation was answered with `500` and is missing in the log, but is counted for the bill.
   */
  compare(period: string, lines: readonly CountedOperations[]): Finding[] {
    const next = this.#keysOf(monthAfter(period));
    const counted = new Map(lines.map(({ key_id, ops }) => [key_id, ops]));
    const keys = new Set([...counted.keys(), ...this.#keysOf(period).keys()]);
    return [...keys].flatMap((key): Finding[] => {
      const ops = counted.get(key) ?? 0;
      const { all, first } = this.#keysOf(period).get(key) ?? NONE;
      const isFewer = all + (next.get(key) ?? NONE).first < ops;
      if (!isFewer && all - first <= ops) return [];
      const message = `key ${key} in ${period}: ${ops} operations were counted, but the log has ${all}`;
      return [{ code: isFewer ? 'rows_fewer' : 'rows_more', seal: null, message }];
    });
  }

  #keysOf(month: string): Map<string, Count> {
    const keys = this.#months.get(month) ?? new Map<string, Count>();
    this.#months.set(month, keys);
    return keys;
  }
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}
