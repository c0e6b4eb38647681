import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { type Outcome, Promises } from '../soak/promises.ts';
import { compare } from './comparisons.ts';
import { type Backup, FLAVOUR, type Life } from './life.ts';
import { type Forgotten, makeConsistent } from './procedure.ts';

/** How to restore. */
export interface RestoreOptions {
  /** Whether keys that were destroyed since the backup are destroyed again. */
  readonly destroys: boolean;
  readonly forgets?: Forgotten;
}

/** What a restore showed. */
export interface Restored {
  readonly backup: Backup;
  readonly outcomes: readonly Outcome[];
  /** What `after-restore` printed. */
  readonly redone: string;
  /** How many things `check-store --adopt` found or corrected, by kind. */
  readonly found: ReadonlyMap<string, number>;
  /** The versions whose ciphertext does not open any more, and how that is answered. */
  readonly unopened: readonly string[];
}

/** Restores a backup of a life as docs/operate.md says, and compares the restored service with what clients know. */
export async function restore(life: Life, backup: Backup, { destroys, forgets }: RestoreOptions): Promise<Restored> {
  const { port, left } = life;
  const promises = new Promises();
  const folder = `${backup.folder}, restored`;
  const [dir, home] = [join(folder, 'stack'), join(folder, 'tenants')];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  cpSync(life.home, home, { recursive: true });
  // The disaster takes the store only.
  cpSync(left, dir, { recursive: true, filter: (path) => path !== join(left, 'firestore') });
  cpSync(backup.folder, join(dir, 'firestore'), { recursive: true });

  const closed = await startStack({ ...FLAVOUR, port, dir, closed: true });
  const serviceLog = join(dir, 'service.log');
  const { redone, lost, checked } = await makeConsistent(life, {
    backup,
    destroys,
    forgets,
    serviceLog,
    promises,
  }).finally(closed.stop);
  const open = await startStack({ ...FLAVOUR, port, dir });
  const unopened = await compare(life, { backup, destroys, lost, home, promises }).finally(open.stop);
  const kinds = [...checked.findings.map(({ kind }) => kind), ...checked.adopted.map(({ kind }) => `${kind}, adopted`)];
  const found = new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, same]) => [kind, same.length]));
  return { backup, outcomes: promises.outcomes, redone, found, unopened };
}
