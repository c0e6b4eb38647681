import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { type Outcome, Promises } from '../soak/promises.ts';
import { type Backup, FLAVOUR, type StateAtLoss } from './before-loss.ts';
import { compare } from './comparisons.ts';
import { type Forgotten, makeConsistent } from './procedure.ts';

/** The options of a restore. */
export interface RestoreOptions {
  /** Whether the restore also destroys the keys that were destroyed after the backup. */
  readonly destroys: boolean;
  readonly forgets?: Forgotten;
}

/** The results of a restore. */
export interface Restored {
  readonly backup: Backup;
  readonly outcomes: readonly Outcome[];
  /** The output of `after-restore`. */
  readonly redone: string;
  /** The number of findings and corrections of `check-store --adopt`, by kind. */
  readonly found: ReadonlyMap<string, number>;
  /** A line for each version whose ciphertext no longer decrypts, with the answer. */
  readonly undecryptable: readonly string[];
}

/** Restores a backup as docs/restore.md describes. Then compares the restored service with what clients know. */
export async function restore(
  atLoss: StateAtLoss,
  backup: Backup,
  { destroys, forgets }: RestoreOptions,
): Promise<Restored> {
  const { port, stackDir } = atLoss;
  const promises = new Promises();
  const folder = `${backup.folder}, restored`;
  const [dir, home] = [join(folder, 'stack'), join(folder, 'tenants')];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  cpSync(atLoss.home, home, { recursive: true });
  // Copy everything except the store, because only the store is lost.
  cpSync(stackDir, dir, { recursive: true, filter: (path) => path !== join(stackDir, 'firestore') });
  cpSync(backup.folder, join(dir, 'firestore'), { recursive: true });

  const closed = await startStack({ ...FLAVOUR, port, dir, closed: true });
  const serviceLog = join(dir, 'service.log');
  const { redone, lost, checked } = await makeConsistent(atLoss, {
    backup,
    destroys,
    forgets,
    serviceLog,
    promises,
  }).finally(closed.stop);
  const open = await startStack({ ...FLAVOUR, port, dir });
  const undecryptable = await compare(atLoss, { backup, destroys, lost, home, promises }).finally(open.stop);
  const kinds = [...checked.findings.map(({ kind }) => kind), ...checked.adopted.map(({ kind }) => `${kind}, adopted`)];
  const found = new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, same]) => [kind, same.length]));
  return { backup, outcomes: promises.outcomes, redone, found, undecryptable };
}
