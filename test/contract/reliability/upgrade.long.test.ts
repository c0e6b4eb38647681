import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeToday, successor, TODAY } from '../../reliability/checkouts.ts';
import { runUpgrade } from '../../reliability/upgrade.ts';
import { ownStack } from '../../support/own-stack.ts';

const stack = ownStack();
const today = { name: 'today', checkout: TODAY };
const SECONDS = 2;

test('during an update to the next release and a rollback, no request fails and no data is lost', async () => {
  using checkout = successor();
  const { flaws, decrypted, phases } = await runUpgrade(
    stack,
    today,
    { name: 'successor', checkout, isSuccessor: true },
    SECONDS,
  );
  expect(flaws).toEqual([]);
  expect(decrypted).toBeGreaterThan(50);
  // A request in flight while the traffic is shifted may also be answered by a version that has no more traffic.
  const phasesOf = (version: string) =>
    phases.flatMap(({ results }, phase) => (results.some(({ answeredBy }) => answeredBy === version) ? [phase] : []));
  expect(phasesOf('today')).toEqual(expect.arrayContaining([0, 1, 3, 4]));
  expect(phasesOf('successor')).toEqual(expect.arrayContaining([1, 2, 5]));
});

test('the upgrade drill reports failed requests if the next release renames a stored field', async () => {
  using checkout = changeToday((folder) => {
    // Every operation with a key reads this field, so the drill notices the change however few requests it sends.
    for (const file of globSync('shared/{keys,lifecycle}/*.ts', { cwd: folder })) {
      const path = join(folder, file);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/\bunfinished_since\b/g, 'interrupted_since'));
    }
  });
  const { flaws } = await runUpgrade(stack, today, { name: 'renaming', checkout }, SECONDS);
  expect(flaws).toContainEqual(expect.stringMatching(/was answered 500 internal_error by the version/));
});
