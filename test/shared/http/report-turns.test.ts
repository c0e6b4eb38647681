import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { ReportTurns } from '../../../shared/http/report-turns.ts';

/** The number of a tenant’s reports that may be in progress at the same time. */
const SLOTS = 4;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns `ask`, which requests a report, and `read`, the names of the reports that were read from the store. */
function makeHarness() {
  const turns = new ReportTurns();
  const read: string[] = [];
  const ask = (tenantId: TenantId, name: string) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const report = turns.take(tenantId, ended, (inTurn) => inTurn(async () => void read.push(name)));
    report.catch(() => undefined);
    return { report, end };
  };
  return { read, ask, turns };
}

test('a report keeps its slot until the client has received the answer or closed the connection', async () => {
  const { read, ask } = makeHarness();
  const tenant = makeId<TenantId>();
  const [first] = Array.from({ length: SLOTS }, (_, n) => ask(tenant, `unread ${n}`));
  ask(tenant, 'next');
  await turn();
  expect(read).toEqual(['unread 0', 'unread 1', 'unread 2', 'unread 3']);
  first?.end();
  await turn();
  expect(read).toEqual(['unread 0', 'unread 1', 'unread 2', 'unread 3', 'next']);
});

test('a report keeps its slot until it has been read from the store, even if the connection closes earlier', async () => {
  const { turns, read, ask } = makeHarness();
  const tenant = makeId<TenantId>();
  const [reading, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const report = turns.take(tenant, ended.promise, (inTurn) => inTurn(() => reading.promise));
  await turn();
  ended.resolve();
  ask(tenant, 'next');
  await turn();
  expect(read).toEqual([]);
  reading.resolve();
  await report;
  await turn();
  expect(read).toEqual(['next']);
});

test('if a client disconnects while its request for a report waits for a slot, the report is not read from the store', async () => {
  const { read, ask } = makeHarness();
  const tenant = makeId<TenantId>();
  const [first] = Array.from({ length: SLOTS }, (_, n) => ask(tenant, `unread ${n}`));
  const disconnecting = ask(tenant, 'disconnecting');
  ask(tenant, 'next');
  await turn();
  disconnecting.end();
  first?.end();
  await expect(disconnecting.report).rejects.toMatchObject({ code: 'invalid_request' });
  await turn();
  expect(read).toEqual(['unread 0', 'unread 1', 'unread 2', 'unread 3', 'next']);
});

test('if one tenant’s clients do not receive their reports, another tenant’s reports are not delayed', async () => {
  const { read, ask } = makeHarness();
  const tenant = makeId<TenantId>();
  for (let n = 0; n < 100; n++) ask(tenant, 'greedy');
  ask(makeId<TenantId>(), 'modest');
  await turn();
  expect(read).toEqual(['greedy', 'modest', 'greedy', 'greedy', 'greedy']);
});
