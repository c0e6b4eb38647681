import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FollowState, readState } from '../../src/cli/follow/state-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const START = { us: 1_792_065_600_000_000, id: '' };
const NEW = { tenantId: 'tenant', start: START, printed: [] };
const MINUTE_US = 60_000_000;
const at = (us: number) => ({ us: START.us + us, id: String(us).padStart(12, '0') });

test('a state has the place of the last event, and each event of the ten minutes before it', async () => {
  const path = join(folder.path, 'state');
  const state = await FollowState.open(NEW, path);
  for (let minute = 1; minute <= 30; minute++) state.add(at(minute * MINUTE_US));
  state.add(at(25 * MINUTE_US + 1));
  state.close();
  const kept = readState(path);
  expect(kept).toMatchObject({ tenantId: 'tenant', start: START });
  expect(kept?.printed).toHaveLength(31);
  const next = await FollowState.open(kept ?? NEW, path);
  expect(next.place).toEqual(at(30 * MINUTE_US));
  for (let minute = 20; minute <= 30; minute++) expect(next.printed.has(at(minute * MINUTE_US))).toBe(true);
  expect(next.printed.has(at(25 * MINUTE_US + 1))).toBe(true);
  next.close();
});

test('a long state is shortened, and still has the events of the ten minutes before the last one, however old they are', async () => {
  const path = join(folder.path, 'state');
  const state = await FollowState.open(NEW, path);
  for (let n = 0; n < 20_000; n++) state.add(at(n * 100_000));
  state.moveTo(START.us + 24 * 60 * MINUTE_US);
  await state.settle();
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(9_000);
  const last = 19_999 * 100_000;
  const kept = new Set(readState(path)?.printed.map(({ us }) => us - START.us));
  for (let n = 0; n < 20_000; n++) if (n * 100_000 >= last - 10 * MINUTE_US) expect(kept.has(n * 100_000)).toBe(true);
  state.add(at(last + 1));
  state.close();
  expect(readState(path)?.printed.at(-1)).toEqual(at(last + 1));
});

test('without a file, nothing is stored', async () => {
  const state = await FollowState.open(NEW, undefined);
  state.add(at(5));
  await state.settle();
  expect([state.place, state.printed.has(at(5))]).toEqual([at(5), true]);
});
