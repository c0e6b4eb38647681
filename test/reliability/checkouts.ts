import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCHEMA_VERSION } from '../../shared/store/collection.ts';
import { ROOT } from '../sources.ts';

/** Adds a document field, a setting and an operation, as the next release may. */
const SUCCESSOR = join(ROOT, 'test/reliability/successor.patch');

/** What a process of the service needs, besides packages. */
const SOURCES = ['functions', 'shared', 'package.json', 'package-lock.json'];

/** The sources of a version. Disposal removes the folder, as does the exit of this process. */
export interface Checkout extends Disposable {
  readonly folder: string;
}

/** This checkout, which disposal does not remove. */
export const TODAY: Checkout = { folder: ROOT, [Symbol.dispose]: () => undefined };

/** Returns the newest release tag, or `undefined` before the first release. */
export function lastRelease(): string | undefined {
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-version:refname'], { cwd: ROOT, encoding: 'utf8' });
  return tags.split('\n')[0] || undefined;
}

/** Returns the sources and the locked packages of a git ref. Throws if there is no such ref. */
export function checkOut(ref: string): Checkout {
  return makeCheckout((folder) => {
    const archive = join(folder, 'archive.tar');
    execFileSync('git', ['archive', `--output=${archive}`, ref], { cwd: ROOT, stdio: 'pipe' });
    execFileSync('tar', ['--extract', '--file', archive, '--directory', folder]);
  });
}

/**
 * Returns the current sources with changes that the next release may make, and the next schema version. Throws git's
 * error if the patch does not apply.
 */
export function successor(): Checkout {
  // Prevents git from resolving paths against a repository above the folder.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
  return changeToday((folder) => {
    execFileSync('git', ['apply', SUCCESSOR], { cwd: folder, env, stdio: 'pipe' });
    const file = join(folder, 'shared/store/collection.ts');
    const next = `SCHEMA_VERSION = ${SCHEMA_VERSION + 1};`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(`SCHEMA_VERSION = ${SCHEMA_VERSION};`, next));
  });
}

/** Returns a changed copy of the current sources. */
export function changeToday(change: (folder: string) => void): Checkout {
  return makeCheckout((folder) => {
    for (const source of SOURCES) cpSync(join(ROOT, source), join(folder, source), { recursive: true });
    change(folder);
  });
}

function makeCheckout(fill: (folder: string) => void): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  const atExit = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', atExit);
  const remove = () => {
    process.off('exit', atExit);
    atExit();
  };
  try {
    fill(folder);
    providePackages(folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, [Symbol.dispose]: remove };
}

/** Links the packages of this checkout if the lockfile is the same. Otherwise installs them. */
function providePackages(folder: string): void {
  const locked = [folder, ROOT].map((one) => readFileSync(join(one, 'package-lock.json'), 'utf8'));
  if (locked[0] === locked[1]) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
}
