import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FairQueue } from '../../shared/base/fair-queue.ts';
import { type Answer, outcome } from '../support/client.ts';
import { checkLog, serviceFor } from '../support/sealed-log.ts';
import type { Client, Tenant } from '../support/tenant.ts';
import { daysOf, type UsageLine, usageOf } from '../support/usage.ts';

/** The header that names the version that gave the answer. */
export const ANSWERED_BY = 'x-answered-by';

/** The month of a request if a month ended before its answer. */
const BETWEEN = 'between';

/** Refusals that the fault of a dependency can explain. `400` is the status of a batch in which all items failed. */
const FAULTY = /^(?:500 internal_error|503(?: unavailable)?|400 (?:internal_error|unavailable))$/;

/** The time limit for an answer. It is longer than all deadlines of the service, which must answer every request. */
const ANSWER_DEADLINE_MS = 30_000;

/** A request with its expected outcome, which is success by default. */
export interface Call {
  readonly by: Client;
  /** Method and path. */
  readonly call: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The operation in the request’s audit rows, if the request is recorded. */
  readonly row?: string;
  /** The key for which the operation must be counted, if any. */
  readonly meters?: KnownKey;
  /** The number of operations, and so of rows, if the request is a batch. */
  readonly items?: number;
  /** The expected error code. */
  readonly refused?: string | undefined;
  /** Whether only the successor, which simulates the next release, has the route. Other versions must answer `404`. */
  readonly onlySuccessor?: boolean;
}

/** How often something happened at least, according to the answers, and at most, if failed requests had an effect. */
interface Range {
  readonly least: number;
  readonly most: number;
}

/** What clients know about a key. */
export interface KnownKey {
  readonly id: string;
  readonly by: Client;
  /** The number of the version that encrypts. */
  version: number;
  /** The number of operations in each month. */
  readonly uses: Map<string, Range>;
  /** The last description that the successor acknowledged. */
  description: string | null;
  /** The ciphertexts that the service acknowledged. */
  readonly kept: KeptCiphertext[];
  /** Whether a change to the key has failed, so that its state is unknown, or the key was destroyed. */
  isLost: boolean;
}

/** A ciphertext, and the request that decrypts it. */
export interface KeptCiphertext {
  readonly version: number;
  readonly call: string;
  readonly body: unknown;
  readonly plaintext: string;
}

/** The result of a request, with times from `performance.now()`. `answeredBy` is the name of the version that answered. */
export interface RequestResult {
  readonly call: string;
  readonly at: number;
  readonly tookMs: number;
  readonly answeredBy: string;
  readonly isExpected: boolean;
}

/** Thrown if an answer differs from the expected answer. Unless a fault explains it, the ledger's `flaws` list it. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer';
}

interface LedgerOptions {
  /** The name of the version that simulates the next release, if one is used. */
  readonly successor?: string | undefined;
  /** Returns the time of the service's clock. */
  readonly now?: () => number;
  /** Returns whether a fault explains refusals in a period. */
  readonly hasFault?: (from: number, until: number) => boolean;
}

/** Records the requests of clients and the answers, and so what the service must have stored. */
export class Ledger {
  /** The successful or refused operation that each request must leave, as `operation error_code`, and how often. */
  readonly rows = new Map<string, Range & { readonly row: string }>();
  readonly keys: KnownKey[] = [];
  readonly flaws: string[] = [];
  /** The number of requests that were refused because of a fault. */
  refusals = 0;
  readonly #options: LedgerOptions;
  #results: RequestResult[] = [];

  constructor(options: LedgerOptions = {}) {
    this.#options = options;
  }

  /** Returns the month of the service's clock. */
  month(): string {
    return new Date((this.#options.now ?? Date.now)()).toISOString().slice(0, 7);
  }

  /** Sends a request and records its result. Throws {@link UnexpectedAnswer} if the result is not the expected one. */
  async send(sent: Call): Promise<Answer> {
    const { by, call, body, headers, refused, items = 1, onlySuccessor } = sent;
    const { successor, hasFault } = this.#options;
    const [method = '', path = ''] = call.split(' ');
    const id = randomUUID();
    const [at, month] = [performance.now(), this.month()];
    const asked = by.send(method, path, body, { headers: { 'x-request-id': id, ...headers } });
    const answer = await withDeadline(ANSWER_DEADLINE_MS, call, asked).catch(String);
    const until = performance.now();
    const when = this.month() === month ? month : BETWEEN;
    const answeredBy = typeof answer === 'string' ? 'none' : (answer.headers.get(ANSWERED_BY) ?? 'none');
    const isUnknown = onlySuccessor === true && answeredBy !== successor;
    const expected = isUnknown ? 'not_found' : refused;
    const actual = typeof answer === 'string' ? answer : outcome(answer);
    const isExpected = expected === undefined ? /^2\d\d$/.test(actual) : actual.endsWith(` ${expected}`);
    this.#results.push({ call, at, tookMs: until - at, answeredBy, isExpected });
    if (!isExpected || typeof answer === 'string') {
      if (FAULTY.test(actual) && hasFault?.(at, until)) this.refusals++;
      else
        this.flaws.push(
          `${call} was answered ${actual} by the version ${answeredBy}, expected ${expected ?? 'success'}`,
        );
      // With another status than 500, no operation with a key was counted.
      const most = sent.meters === undefined || actual.startsWith('500') ? items : 0;
      this.note(id, sent, { least: 0, most }, when);
      throw new UnexpectedAnswer();
    }
    const failed =
      batch.safeParse(answer.body).data?.data.batch_results.filter(({ error }) => error !== undefined) ?? [];
    if (failed.length > 0 && !hasFault?.(at, until))
      this.flaws.push(`${call}: ${failed.length} items of a batch failed`);
    const done = items - failed.length;
    if (!isUnknown) this.note(id, sent, { least: done, most: done }, when);
    return answer;
  }

  /** Notes how many rows a request must have left, and how many operations it must have added to the counts. */
  note(
    id: string,
    { row, meters, refused }: Omit<Call, 'by' | 'call'>,
    times: Range,
    when: string = this.month(),
  ): void {
    if (row !== undefined) this.rows.set(id, { row: [row, refused ?? []].flat().join(' '), ...times });
    if (meters === undefined || refused !== undefined) return;
    const { least, most } = meters.uses.get(when) ?? { least: 0, most: 0 };
    meters.uses.set(when, { least: least + times.least, most: most + times.most });
  }

  /** Adds a key that was just created. */
  addKey(id: string, by: Client): KnownKey {
    const key: KnownKey = { id, by, version: 1, uses: new Map(), description: null, kept: [], isLost: false };
    this.keys.push(key);
    return key;
  }

  /** Returns the results that were recorded since the last call of `takeResults`. */
  takeResults(): readonly RequestResult[] {
    const results = this.#results;
    this.#results = [];
    return results;
  }

  /** Adds the differences between the counts of all months and the operations that were sent to the flaws. */
  compareUsage(usage: ReadonlyMap<string, readonly UsageLine[]>): void {
    const counts = [...usage].map(([month, lines]) => {
      return { month, ops: new Map(lines.map(({ key_id, ops }) => [key_id, ops])) };
    });
    const expect = (what: string, ops: number, least: number, most: number) => {
      if (ops < least || ops > most) this.flaws.push(`${what}: ${ops} counted, not ${least} to ${most}`);
    };
    for (const { id, uses } of this.keys) {
      const late = uses.get(BETWEEN)?.most ?? 0;
      for (const { month, ops } of counts) {
        const { least, most } = uses.get(month) ?? { least: 0, most: 0 };
        expect(`key ${id} in ${month}`, ops.get(id) ?? 0, least, most + late);
      }
      const [least, most] = [sum(uses.values(), (one) => one.least), sum(uses.values(), (one) => one.most)];
      expect(
        `key ${id}`,
        sum(counts, ({ ops }) => ops.get(id) ?? 0),
        least,
        most,
      );
    }
    const known = new Set(this.keys.map(({ id }) => id));
    for (const { key_id, ops } of [...usage.values()].flat()) {
      if (ops > 0 && !known.has(key_id)) this.flaws.push(`key ${key_id}: ${ops} counted, but no operation was sent`);
    }
  }

  /** Adds the differences between all rows of tenants and the requests that were sent to the flaws. */
  compareRows(stored: Iterable<readonly [id: string, row: string]>): void {
    const left = Map.groupBy(stored, ([id]) => id);
    for (const [id, { row, least, most }] of this.rows) {
      const found = (left.get(id) ?? []).map(([, one]) => one);
      left.delete(id);
      const same = found.filter((one) => one === row).length;
      // A failed request may also be recorded with the error of the fault.
      const [operation] = row.split(' ');
      const others = found.filter((one) => one !== row && (least > 0 || !one.startsWith(`${operation} `)));
      if (same >= least && same <= most && others.length === 0) continue;
      this.flaws.push(`a request must leave the row “${row}” ${least} to ${most} times, but left: ${found.join()}`);
    }
    for (const found of left.values()) this.flaws.push(`the audit row “${found[0]?.[1]}” belongs to no request`);
  }
}

const batch = z.object({ data: z.object({ batch_results: z.array(z.object({ error: z.string().optional() })) }) });

export function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  return [...items].reduce((total, item) => total + of(item), 0);
}

/** Returns the result of `work`. Throws an `Error` that names the work if it takes more than `ms` milliseconds. */
export async function withDeadline<Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not end within ${Math.round(ms / 1_000)} seconds`)), ms);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The number of items of a drill's checks that are worked on at the same time. */
export const AT_ONCE = 12;

/** Works on all items, at most `running` at the same time. Returns the results in the order of the items. */
export async function forEach<Item, Result>(
  items: readonly Item[],
  running: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const queue = new FairQueue({ what: 'items of a drill', owner: 'drill', running, runningPerOwner: running });
  return Promise.all(items.map((item) => queue.run('', () => work(item))));
}

const shownKey = z.object({
  versions: z.array(z.object({ version: z.int(), state: z.string() })),
  /** Missing in the answers of versions of the service that do not have this field. */
  description: z.string().nullish(),
});

const plain = z.object({ plaintext: z.string() });
const decrypted = z.union([plain, z.object({ data: plain }).transform(({ data }) => data)]);

/**
 * Decrypts every ciphertext in the ledger. If the key version of a ciphertext is no longer enabled, the service must
 * refuse. Adds wrong answers to the ledger's flaws. Returns the number of ciphertexts that were decrypted.
 */
export async function decryptKept(ledger: Ledger): Promise<number> {
  const keys = ledger.keys.filter(({ isLost }) => !isLost);
  const counts = await forEach([...Map.groupBy(keys, ({ by }) => by).values()], AT_ONCE, async (own) => {
    let count = 0;
    for (const key of own) count += await decryptKeptOf(ledger, key);
    return count;
  });
  return sum(counts, (count) => count);
}

async function decryptKeptOf(ledger: Ledger, key: KnownKey): Promise<number> {
  const { id, by, kept } = key;
  let count = 0;
  try {
    const { versions, description } = shownKey.parse((await ledger.send({ by, call: `GET /v1/keys/${id}` })).body);
    if (description !== undefined && description !== key.description) {
      ledger.flaws.push(`a key must have the description “${key.description}”, but has “${description}”`);
    }
    const enabled = versions.filter(({ state }) => state === 'enabled').map(({ version }) => version);
    for (const { version, call, body, plaintext } of kept) {
      const refused = enabled.includes(version) ? undefined : 'invalid_ciphertext';
      const answer = await ledger.send({ by, call, body, row: 'decrypt', meters: key, refused });
      if (refused !== undefined) continue;
      if (decrypted.parse(answer.body).plaintext !== plaintext) ledger.flaws.push('a ciphertext has another plaintext');
      count++;
    }
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
  }
  return count;
}

/**
 * Compares counts, audit rows and sealed logs with the ledger, and adds the differences to the ledger's flaws. Throws
 * if a report cannot be read. `sealed` says which rows must be sealed. Returns the counts by month.
 */
export async function compareStored(
  ledger: Ledger,
  tenants: readonly Tenant[],
  sealed: 'unsealed' | 'some sealed' | 'all sealed',
) {
  const { flaws, keys } = ledger;
  const months = new Set([ledger.month(), ...keys.flatMap(({ uses }) => [...uses.keys()])]);
  months.delete(BETWEEN);
  const usage = new Map([...months].map((month): [string, UsageLine[]] => [month, []]));
  const rows: (readonly [id: string, row: string])[] = [];
  await forEach(tenants, AT_ONCE, async ({ console }) => {
    for (const [month, all] of usage) {
      const [lines, days] = [await usageOf(console, month), await daysOf(console, `?period=${month}`)];
      all.push(...lines);
      const byKey = Map.groupBy(days, ({ key_id }) => key_id);
      for (const { key_id, ops } of lines) {
        const ofDays = sum(byKey.get(key_id) ?? [], (day) => day.ops);
        if (ofDays !== ops) flaws.push(`key ${key_id}: ${ops} counted in ${month}, but ${ofDays} on its days`);
      }
    }
    const events = await readEvents(console);
    if (new Set(events.map(({ id }) => id)).size < events.length) flaws.push('pages of the audit log repeat a row');
    rows.push(...rowsOf(events));
    const { findings, entries } = await checkLog(console);
    for (const { code, message } of findings) flaws.push(`a sealed log: ${code}: ${message}`);
    const least = { unsealed: 0, 'some sealed': 1, 'all sealed': events.length }[sealed];
    if (entries < least) flaws.push(`${entries} of ${events.length} rows are sealed`);
  });
  ledger.compareUsage(usage);
  ledger.compareRows(rows);
  return usage;
}

function readEvents(session: Client) {
  return Array.fromAsync(serviceFor(session).readAudit({ limit: 1000 }));
}

/** Notes the rows that a tenant already has. */
export async function noteRows(ledger: Ledger, { console }: Tenant): Promise<void> {
  for (const [id, row] of rowsOf(await readEvents(console))) ledger.note(id, { row }, { least: 1, most: 1 });
}

/** Returns the rows of requests: the request id, and `operation error_code`. The service's own rows have no id. */
function rowsOf(events: Awaited<ReturnType<typeof readEvents>>) {
  return events.flatMap(({ request_id, operation, error_code }) => {
    return request_id === null ? [] : [[request_id, [operation, error_code ?? []].flat().join(' ')] as const];
  });
}
