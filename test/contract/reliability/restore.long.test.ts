import { afterAll, beforeAll, expect, test } from 'vitest';
import { leasePorts, type PortLease } from '../../../emulators/stack/separate.ts';
import { restore, runUntilLoss, type StateAtLoss } from '../../reliability/restore/restore.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../support/temporary-folder.ts';

let lease: PortLease;
let atLoss: StateAtLoss;
beforeAll(async () => {
  lease = await leasePorts();
  atLoss = await runUntilLoss(temporaryFolder('restore'), lease.port, () => undefined);
});
afterAll(() => {
  lease.release();
  removeTemporaryFolders();
});

test('a store restored from the previous day’s backup keeps every promise of the restore procedure', async () => {
  const { outcomes, undecryptable } = await restore(atLoss, atLoss.backups.dayBefore, { destroys: true });
  expect([...outcomes].filter(([, flaws]) => flaws.length > 0)).toEqual([]);
  expect(undecryptable.length).toBeGreaterThan(0);
});

test('if the changes that a restore has undone are not repeated, the restore drill reports each broken promise', async () => {
  const { outcomes } = await restore(atLoss, atLoss.backups.minuteBefore, {
    destroys: false,
    forgets: 'after-restore',
  });
  const broken = [...outcomes].flatMap(([promise, flaws]) => (flaws.length > 0 ? promise : []));
  expect(broken).toEqual([
    'changes that lowered rights stay in effect',
    'deletions, restorations, freezes, thaws and destructions of keys stay in effect',
    'every acknowledged ciphertext decrypts, unless its key version was reported as lost',
    'no version number is used twice',
  ]);
});

test('if destroy-due-keys runs before check-store --adopt, which stores rotations that the backup lacks, the restore drill reports lost ciphertext', async () => {
  const { outcomes } = await restore(atLoss, atLoss.backups.dayBefore, { destroys: false, forgets: 'adopting first' });
  const broken = [...outcomes].flatMap(([promise, flaws]) => (flaws.length > 0 ? promise : []));
  expect(broken).toContain('every acknowledged ciphertext decrypts, unless its key version was reported as lost');
});
