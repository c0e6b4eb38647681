import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { Readiness } from '../../../shared/http/readiness.ts';
import { ReportTurns } from '../../../shared/http/report-turns.ts';

test('one readiness probe serves all requests while it runs, and for ten seconds from its start, even if it failed', async () => {
  const clock = { ms: 5_000 };
  const pings = { store: vi.fn(async () => {}), kms: vi.fn(async () => {}), policy: vi.fn(async () => {}) };
  const { store, kms, policy } = pings;
  const parts = { store: { ping: store }, kms: { ping: kms }, policy: { ping: policy } };
  const readiness = new Readiness(parts, { write() {} }, () => clock.ms);
  const [ok, down] = ['ok', 'unavailable'].map((state) => ({ firestore: state, kms: state, policy: state }));
  const expectPings = (times: number) => {
    for (const ping of Object.values(pings)) expect(ping).toHaveBeenCalledTimes(times);
  };
  expect(await Promise.all([readiness.probe(), readiness.probe()])).toEqual([ok, ok]);
  clock.ms += 9_999;
  expect(await readiness.probe()).toEqual(ok);
  expectPings(1);
  for (const ping of Object.values(pings)) ping.mockRejectedValue(new Error('down'));
  clock.ms += 1;
  expect(await readiness.probe()).toEqual(down);
  clock.ms += 9_999;
  expect(await readiness.probe()).toEqual(down);
  expectPings(2);
});

/**
 * Begins four reports of a tenant, as many as may be in progress at the same time. Returns `ask`, which requests another
 * report, and `read`, the names of the reports that were read from the store.
 */
function fourReports() {
  const turns = new ReportTurns();
  const tenant = makeId<TenantId>();
  const read: string[] = [];
  const ask = (name: string, tenantId = tenant) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const report = turns.take(tenantId, ended, (inTurn) => inTurn(async () => void read.push(name)));
    report.catch(() => undefined);
    return { report, end };
  };
  const first = ask('1');
  for (const name of ['2', '3', '4']) ask(name);
  return { first, read, ask };
}

test('a report keeps its slot until the client has received the answer or closed the connection', async () => {
  const { first, read, ask } = fourReports();
  ask('next');
  await turn();
  expect(read).toEqual(['1', '2', '3', '4']);
  first.end();
  await turn();
  expect(read).toEqual(['1', '2', '3', '4', 'next']);
});

test('a report keeps its slot until it has been read from the store, even if the connection closes earlier', async () => {
  const turns = new ReportTurns();
  const tenant = makeId<TenantId>();
  const read: string[] = [];
  const [reading, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const report = turns.take(tenant, ended.promise, (inTurn) => inTurn(() => reading.promise));
  await turn();
  ended.resolve();
  void turns.take(tenant, new Promise(() => {}), (inTurn) => inTurn(async () => void read.push('next')));
  await turn();
  expect(read).toEqual([]);
  reading.resolve();
  await report;
  await turn();
  expect(read).toEqual(['next']);
});

test('if a client disconnects while its request for a report waits for a slot, the report is not read from the store', async () => {
  const { first, read, ask } = fourReports();
  const disconnecting = ask('disconnecting');
  ask('next');
  await turn();
  disconnecting.end();
  first.end();
  await expect(disconnecting.report).rejects.toMatchObject({ code: 'invalid_request' });
  await turn();
  expect(read).toEqual(['1', '2', '3', '4', 'next']);
});

test('if one tenant’s clients do not receive their reports, another tenant’s reports are not delayed', async () => {
  const { read, ask } = fourReports();
  for (let n = 0; n < 100; n++) ask('greedy');
  ask('modest', makeId());
  await turn();
  expect(read).toEqual(['1', 'modest', '2', '3', '4']);
});
