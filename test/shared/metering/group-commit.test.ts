import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeInstant, SECOND_US } from '../../../shared/base/clock.ts';
import { DeadlineExceeded } from '../../../shared/base/deadline.ts';
import { makeId } from '../../../shared/base/ids.ts';
import { monthOf } from '../../../shared/base/month.ts';
import type { Key } from '../../../shared/keys/key.ts';
import { GroupCommit } from '../../../shared/metering/group-commit.ts';
import { connect } from '../../../shared/store/connect.ts';
import { Store } from '../../../shared/store/store.ts';
import { Writes } from '../../../shared/store/writes.ts';
import { NO_METRICS } from '../../../shared/telemetry/metrics.ts';
import { aKey, CREATED } from '../keys/a-key.ts';

/** A commit that stays open until the test ends it. */
interface Commit {
  /** The tenants of the rows that the commit creates. */
  readonly tenants: ReadonlySet<unknown>;
  readonly rows: readonly string[];
  readonly counts: readonly string[];
  /** The number of operations that the commit counts. */
  readonly ops: number;
  readonly olderDays: readonly unknown[];
  readonly stored: PromiseWithResolvers<void>;
}

/** A store whose commits stay open until the test ends them. */
class OpenStore extends Store {
  readonly commits: Commit[] = [];

  constructor() {
    super(connect({ project: 'demo-encryption', firestoreEmulatorHost: undefined }));
  }

  override write(fill: (writes: Writes) => void): Promise<void> {
    const tenants = new Set<unknown>();
    const rows: string[] = [];
    const counts: string[] = [];
    const olderDays: unknown[] = [];
    let ops = 0;
    const unused = () => expect.unreachable();
    const writes = new Writes({
      create: (path, data) => tenants.add(data.tenant_id) && rows.push(path),
      merge: (path, _data, additions) => {
        counts.push(path);
        ops += Number(additions.ops);
        olderDays.push(additions.older_days);
      },
      set: unused,
      update: unused,
      delete: unused,
    });
    fill(writes);
    const stored = Promise.withResolvers<void>();
    this.commits.push({ tenants, rows, counts, ops, olderDays, stored });
    return stored.promise;
  }
}

function makeHarness() {
  const store = new OpenStore();
  let now: number = CREATED;
  const groupCommit = new GroupCommit(store, { now: () => makeInstant(now) }, NO_METRICS);
  const event = ({ id: key_id, tenant_id }: Key) => {
    const by = { request_id: null, api_key_id: null, user_id: null, target_id: null };
    return { tenant_id, key_id, ts: CREATED, operation: 'wrap', result: 'success', error_code: null, ...by } as const;
  };
  const counted = (key: Key, day = '01', usedOlder = false) => ({
    event: event(key),
    counted: { key, month: monthOf(CREATED), day, usedOlder },
  });
  const record = (key: Key) => groupCommit.record(counted(key));
  const recordFailed = (key: Key) => groupCommit.record({ event: event(key) });
  const pass = (seconds: number) => {
    now += seconds * SECOND_US;
  };
  return { store, groupCommit, counted, record, recordFailed, pass };
}

// The fake clock does not advance by itself, so a commit is late only if a test moves the clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('waiting operations of one tenant share a commit, and operations of different tenants never share a commit', async () => {
  const { store, record } = makeHarness();
  const tenant_id: Key['tenant_id'] = makeId();
  const keys = [aKey({ tenant_id }), aKey(), aKey({ tenant_id })];
  const recorded = keys.map(record);
  await turn();
  expect(store.commits.map(({ tenants }) => [...tenants])).toEqual([[tenant_id], [keys[1]?.tenant_id]]);
  expect(store.commits.map(({ counts }) => counts.length)).toEqual([2, 1]);
  for (const { stored } of store.commits) stored.resolve();
  await Promise.all(recorded);
});

test('a commit has at most 200 operations, and a failed operation adds an audit row but is not counted', async () => {
  const { store, record, recordFailed } = makeHarness();
  const key = aKey();
  const recorded = Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? record : recordFailed)(key));
  await turn();
  expect(store.commits.map(({ rows }) => rows.length)).toEqual([200, 100]);
  expect(store.commits.map(({ ops }) => ops)).toEqual([100, 50]);
  for (const { stored } of store.commits) stored.resolve();
  await Promise.all(recorded);
});

test('operations with an older key version are counted by day, in the same write that counts all operations', async () => {
  const { store, groupCommit, counted } = makeHarness();
  const key = aKey();
  const ended = [counted(key), counted(key, '01', true), counted(key, '02', true), counted(key, '02', true)];
  const recorded = Promise.all(ended.map((one) => groupCommit.record(one)));
  await turn();
  const [commit] = store.commits;
  expect(commit).toMatchObject({ ops: 4, olderDays: [{ '01': 1, '02': 2 }] });
  expect(commit?.counts).toHaveLength(1);
  commit?.stored.resolve();
  await recorded;
});

test.each([
  ['wrapped', 8],
  ['free', 2],
] as const)(
  'two simultaneous commits for a %s key update different count documents, and many commits use all %i count documents',
  async (tier, shards) => {
    const { store, record } = makeHarness();
    const key = { ...aKey(), tier };
    const used = new Set<string>();
    for (let round = 0; round < 100; round++) {
      const first = record(key);
      await turn();
      const second = record(key);
      await turn();
      const underWay = store.commits.splice(0);
      const counts = underWay.flatMap((commit) => commit.counts);
      expect(new Set(counts).size).toBe(2);
      for (const count of counts) used.add(count);
      for (const { stored } of underWay) stored.resolve();
      await Promise.all([first, second]);
    }
    expect([...used].sort()).toEqual(Array.from({ length: shards }, (_, shard) => `usage/${key.id}_2026-10_${shard}`));
  },
);

test('a commit whose answer is lost is repeated with the same rows, and counts its operations once', async () => {
  const { store, record } = makeHarness();
  const recorded = record(aKey());
  await turn();
  store.commits[0]?.stored.reject(new DeadlineExceeded('lost'));
  await turn();
  const [first, again] = store.commits;
  expect(again).toMatchObject({ rows: first?.rows, ops: first?.ops });
  again?.stored.resolve();
  await recorded;
  expect(store.commits).toHaveLength(2);
});

/** Makes a hundred commits that take 10 ms, then a commit that stays open. */
async function afterLateCommit() {
  const harness = makeHarness();
  const pass = async (ms: number) => {
    await turn();
    vi.advanceTimersByTime(ms);
    await turn();
  };
  for (let time = 0; time < 100; time++) {
    const recorded = harness.record(aKey());
    await pass(10);
    harness.store.commits.pop()?.stored.resolve();
    await recorded;
  }
  const outcome = harness.record(aKey()).then(
    () => 'recorded',
    () => 'refused',
  );
  await turn();
  return { ...harness, passMs: pass, outcome };
}
const refusal = new Error('refused');

test('a late commit is repeated with the same rows, and succeeds when either attempt succeeds', async () => {
  const { store, passMs, outcome } = await afterLateCommit();
  await passMs(50);
  const [first, again] = store.commits;
  expect(again).toMatchObject({ rows: first?.rows, ops: 1 });
  again?.stored.resolve();
  expect(await outcome).toBe('recorded');
  first?.stored.reject(refusal);
  await turn();
  expect(store.commits).toHaveLength(2);
});

test.each([
  ['first', 0],
  ['second', 1],
] as const)(
  'if the %s of two attempts at a late commit is refused, no third attempt is made while the other attempt may succeed',
  async (_, refused) => {
    const { store, passMs, outcome } = await afterLateCommit();
    await passMs(50);
    store.commits[refused]?.stored.reject(refusal);
    await turn();
    expect(store.commits).toHaveLength(2);
    store.commits[1 - refused]?.stored.resolve();
    expect(await outcome).toBe('recorded');
    expect(store.commits).toHaveLength(2);
  },
);

test('if one attempt at a late commit is refused and the other’s answer is lost, the third attempt still includes the row', async () => {
  const { store, passMs, outcome } = await afterLateCommit();
  await passMs(50);
  store.commits[0]?.stored.reject(refusal);
  store.commits[1]?.stored.reject(new DeadlineExceeded('lost'));
  await turn();
  expect(store.commits.map(({ rows }) => rows.length)).toEqual([1, 1, 1]);
  store.commits[2]?.stored.resolve();
  expect(await outcome).toBe('recorded');
});

test('a late commit is not repeated once the audit period of its rows may have been sealed', async () => {
  const { store, pass, passMs } = await afterLateCommit();
  pass(31);
  await passMs(50);
  expect(store.commits).toHaveLength(1);
});

test.each([
  [30, 2],
  [31, 1],
])(
  'a commit whose answer is lost after %i s is attempted %i times in all, because the audit period of its rows may be sealed after 30 s',
  async (seconds, commits) => {
    const { store, record, pass } = makeHarness();
    const recorded = record(aKey()).catch(() => 'not recorded');
    await turn();
    pass(seconds);
    store.commits[0]?.stored.reject(new DeadlineExceeded('lost'));
    await turn();
    expect(store.commits).toHaveLength(commits);
    store.commits[1]?.stored.resolve();
    expect(await recorded).toBe(commits === 2 ? undefined : 'not recorded');
  },
);
