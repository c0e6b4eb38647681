import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { countRoundTrips } from '../../../functions/local/round-trips.ts';
import { makeId } from '../../../shared/base/ids.ts';
import { type Month, monthSchema } from '../../../shared/base/month.ts';
import type { Key } from '../../../shared/keys/key.ts';
import { COUNTS_OF_KEYS } from '../../../shared/metering/counter.ts';
import { readUsage } from '../../../shared/metering/usage.ts';
import type { ApiKeyCaller, Caller, SessionCaller } from '../../../shared/tenancy/caller.ts';
import { openInProcess } from '../../support/in-process.ts';
import { keysOf, storeKeys } from '../../support/stored.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const [MONTH, NEXT] = [monthSchema.parse('2026-10'), monthSchema.parse('2026-11')];
const trips = countRoundTrips();
const { store } = openInProcess(stack).services;

let unused: Key;
let used: Key;
let destroyed: readonly Key[];
let session: SessionCaller;
/** Stores two live keys, one of them used, followed by many keys that were destroyed after a use. */
beforeAll(async () => {
  const stored = await keysOf(await makeTenant(stack), [
    { isDestroyed: false, ops: 0 },
    { isDestroyed: false, ops: 7 },
    ...Array.from({ length: 700 }, (_, n) => ({ isDestroyed: true, ops: n + 2 })),
  ]);
  await storeKeys(stack, stored, MONTH);
  const [first, second, ...others] = stored.map(({ key }) => key);
  if (first === undefined || second === undefined) throw new Error('no keys');
  [unused, used, destroyed] = [first, second, others];
  const person = { subjectId: '', email: null, name: null };
  session = { kind: 'session', role: 'owner', tenantId: first.tenant_id, userId: makeId(), person };
});

/** Reads a report. Returns its lines, and the numbers of round trips and of reads of single documents. */
async function report(caller: Caller, month: Month) {
  const before = trips.read;
  const single = vi.spyOn(store, 'read');
  onTestFinished(() => single.mockRestore());
  const lines = (await Array.fromAsync(readUsage(store, caller, month))).flat().map(({ key, ops }) => [key.id, ops]);
  return { lines, reads: trips.read - before, singleReads: single.mock.calls.length };
}

test('a report with hundreds of destroyed keys reads no document on its own', async () => {
  const { lines, singleReads, reads } = await report(session, MONTH);
  const destroyedLines = destroyed.map(({ id }, n) => [id, n + 2]);
  expect(lines).toEqual([[unused.id, 0], [used.id, 7], ...destroyedLines]);
  // Three reads for the ages of the destroyed keys, and three for the lines.
  expect({ singleReads, reads }).toEqual({ singleReads: 0, reads: 6 });
});

test('a report has a line for each of 150,000 destroyed keys', async () => {
  const [one] = destroyed;
  if (one === undefined) throw new Error('no key');
  const pages = vi.spyOn(store, 'pages').mockImplementation(async function* () {
    for (let page = 0; page < 150; page++)
      yield Array.from({ length: 1_000 }, () => ({ ...one, key_id: makeId(), ops: 1, days: {}, older_days: {} }));
  });
  const found = vi.spyOn(store, 'findAll').mockImplementation(async (_, ids) => ids.map((id) => ({ ...one, id })));
  onTestFinished(() => {
    pages.mockRestore();
    found.mockRestore();
  });
  expect((await report(session, MONTH)).lines).toHaveLength(150_000);
});

test('a report of a later month does not read the keys that were destroyed before that month', async () => {
  const { lines, reads } = await report(session, NEXT);
  expect(lines).toEqual([unused, used].map(({ id }) => [id, 0]));
  // One read has both live keys.
  expect(reads).toBe(1);
});

test('the report of an API key with a key list reads only the counts of the listed keys', async () => {
  const keyIds = [used.id, ...destroyed.slice(0, 2).map(({ id }) => id)];
  const { tenant_id: tenantId, container_id: containerId } = used;
  const listed: ApiKeyCaller = {
    ...{ kind: 'api_key', tenantId, containerId, apiKeyId: makeId(), name: 'listed', allowedActions: [], keyIds },
    ...{ firewallId: null, expiresAt: null, workload: null },
  };
  const pages = vi.spyOn(store, 'pages');
  onTestFinished(() => pages.mockRestore());
  const { lines, singleReads } = await report(listed, MONTH);
  expect(lines).toEqual([
    [used.id, 7],
    [destroyed[0]?.id, 2],
    [destroyed[1]?.id, 3],
  ]);
  expect(pages.mock.calls).toEqual([[COUNTS_OF_KEYS, { equal: [MONTH], anyOf: keyIds.toSorted() }]]);
  expect(singleReads).toBe(0);
});
