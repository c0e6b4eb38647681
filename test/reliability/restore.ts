/*
 * npm run drill -- restore: tenants use the service for a day after a backup of the store was made. Then the store is
 * lost, while the KMS and Stripe keep their state. The drill restores the store twice as in docs/restore.md: from a
 * backup that was made a day before the loss, and from one that was made a minute before the loss. Prints what was
 * restored and what no longer decrypts. Fails if a promise is broken.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from '../../bench/table.ts';
import { leasePorts } from '../../emulators/stack/separate.ts';
import { endChildrenWithThisProcess } from '../support/end-children.ts';
import { runUntilLoss } from './restore/before-loss.ts';
import { type Restored, restore } from './restore/restore-run.ts';
import { flawsOf, reportPromises } from './soak/soak-report.ts';

endChildrenWithThisProcess();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

// The stacks of the drill inherit this setting.
process.env.RATE_LIMIT = 'off';
const say = (line: string) => void process.stdout.write(`${line}\n`);
const work = mkdtempSync(join(tmpdir(), 'drill-restore-'));
const { port, release } = await leasePorts();
try {
  const atLoss = await runUntilLoss(work, port, say);
  const { dayBefore, minuteBefore } = atLoss.backups;
  show(await restore(atLoss, dayBefore, { destroys: false }));
  show(await restore(atLoss, minuteBefore, { destroys: true }));
  rmSync(work, { recursive: true });
} catch (error) {
  say(`The drill could not finish. ${work} has the logs of the service.`);
  throw error;
} finally {
  release();
}

function show(restored: Restored): void {
  const { backup, redone, found, undecryptable, outcomes } = restored;
  const flaws = flawsOf(restored);
  say(`\nRestored from ${backup.name}\n\noperator/after-restore.ts: ${redone}`);
  say(
    markdownTable(
      ['operator/check-store.ts --adopt', 'found'],
      [...found].map(([kind, n]) => [kind, String(n)]),
    ),
  );
  say(
    `The versions whose ciphertext no longer decrypts, and the answers:\n${undecryptable.map((version) => `  ${version}\n`).join('')}`,
  );
  say(reportPromises(outcomes));
  for (const flaw of flaws) say(flaw);
  if (flaws.length > 0) process.exitCode = 1;
}
