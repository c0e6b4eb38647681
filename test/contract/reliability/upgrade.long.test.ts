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
  // The number of versions that answered requests in each phase: two in the phases in which both versions run.
  expect(phases.map(({ results }) => new Set(results.map(({ answeredBy }) => answeredBy)).size)).toEqual([
    1, 2, 2, 2, 1, 1,
  ]);
});

test('the upgrade drill reports failed requests if the next release renames a stored field', async () => {
  using checkout = changeToday((folder) => {
    for (const file of globSync('shared/tenancy/*.ts', { cwd: folder })) {
      const path = join(folder, file);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/\bis_default\b/g, 'is_first'));
    }
  });
  const { flaws } = await runUpgrade(stack, today, { name: 'renaming', checkout }, SECONDS);
  expect(flaws).toContainEqual(expect.stringMatching(/was answered 500 internal_error by the version/));
});
