import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { ReportTurns } from '../../../shared/http/report-turns.ts';

/** As many answers of one tenant as are held at a time. */
const HELD = 4;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Requests for reports, each read at once in its turn: which of them were read, in order, and a way to end each. */
function makeWorld() {
  const turns = new ReportTurns();
  const read: string[] = [];
  const ask = (tenantId: TenantId, name: string) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const report = turns.take(tenantId, ended, async () => void read.push(name));
    report.catch(() => undefined);
    return { report, end };
  };
  return { read, ask, turns };
}

test('a turn lasts until the answer was taken or its connection closed', async () => {
  const { read, ask } = makeWorld();
  const tenant = makeId<TenantId>();
  const [first] = Array.from({ length: HELD }, (_, n) => ask(tenant, `unread ${n}`));
  ask(tenant, 'next');
  await turn();
  expect(read).toEqual(['unread 0', 'unread 1', 'unread 2', 'unread 3']);
  first?.end();
  await turn();
  expect(read).toEqual(['unread 0', 'unread 1', 'unread 2', 'unread 3', 'next']);
});

test('and until the report was read, though its connection closed before', async () => {
  const { turns, read, ask } = makeWorld();
  const tenant = makeId<TenantId>();
  const reading = Promise.withResolvers<void>();
  const report = turns.take(tenant, Promise.resolve(), () => reading.promise);
  ask(tenant, 'next');
  await turn();
  expect(read).toEqual([]);
  reading.resolve();
  await report;
  await turn();
  expect(read).toEqual(['next']);
});

test('a request whose client has gone leaves the queue, and nothing is read for it', async () => {
  const { read, ask } = makeWorld();
  const tenant = makeId<TenantId>();
  const [first] = Array.from({ length: HELD }, (_, n) => ask(tenant, `unread ${n}`));
  const leaving = ask(tenant, 'leaving');
  ask(tenant, 'next');
  leaving.end();
  await expect(leaving.report).rejects.toMatchObject({ code: 'invalid_request' });
  first?.end();
  await turn();
  expect(read).toEqual(['unread 0', 'unread 1', 'unread 2', 'unread 3', 'next']);
});

test('the answers that a tenant leaves unread take no turn of another tenant', async () => {
  const { read, ask } = makeWorld();
  const tenant = makeId<TenantId>();
  for (let n = 0; n < 100; n++) ask(tenant, 'greedy');
  ask(makeId<TenantId>(), 'modest');
  await turn();
  expect(read).toEqual(['greedy', 'modest', 'greedy', 'greedy', 'greedy']);
});
