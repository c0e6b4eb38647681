import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { SCHEMA_VERSION } from '../../shared/store/collection.ts';
import { ROOT } from '../sources.ts';

/**
 * The path of a patch that turns today's sources into a possible next release, the successor. The patch adds a field of
 * a stored document, a setting and an operation.
 */
const SUCCESSOR = join(ROOT, 'test/reliability/successor.patch');

/** The files and folders from which a process of the service runs. */
const SOURCES = ['functions', 'shared', 'package.json', 'package-lock.json'];

/** A folder with the sources of a version. It is removed on disposal, or when this process exits. */
export interface Checkout extends Disposable {
  readonly folder: string;
}

/** The checkout that contains this file. It is never removed. */
export const TODAY: Checkout = { folder: ROOT, [Symbol.dispose]: () => undefined };

/**
 * Returns the newest release tag. Before the first one, returns the oldest commit that seals all that events say.
 */
export function lastRelease(): string {
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-version:refname'], { cwd: ROOT, encoding: 'utf8' });
  const [newest] = tags.split('\n');
  return newest || '33ba7a27';
}

/** Returns a checkout of a git ref, with the packages that its lockfile names. Throws if the ref does not exist. */
export function checkOut(ref: string): Checkout {
  return makeCheckout((folder) => {
    const archive = join(folder, 'archive.tar');
    execFileSync('git', ['archive', `--output=${archive}`, ref], { cwd: ROOT, stdio: 'pipe' });
    execFileSync('tar', ['--extract', '--file', archive, '--directory', folder]);
  });
}

/**
 * Returns a checkout of today's sources with the changes of the successor patch, and with the next schema version.
 * Throws git's error message if the patch no longer applies.
 */
export function successor(): Checkout {
  // Without this variable, git could find a repository in a parent folder, and would resolve paths from the root of
  // that repository.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
  return changeToday((folder) => {
    execFileSync('git', ['apply', SUCCESSOR], { cwd: folder, env, stdio: 'pipe' });
    const file = join(folder, 'shared/store/collection.ts');
    const next = `SCHEMA_VERSION = ${SCHEMA_VERSION + 1};`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(`SCHEMA_VERSION = ${SCHEMA_VERSION};`, next));
  });
}

/** Returns a copy of today's `sources` to which `change` has been applied. */
export function changeToday(change: (folder: string) => void, sources = SOURCES): Checkout {
  const filter = (path: string) => basename(path) !== 'node_modules';
  const options = { recursive: true, preserveTimestamps: true, filter };
  return makeCheckout((folder) => {
    for (const source of sources) cpSync(join(ROOT, source), join(folder, source), options);
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

/**
 * Provides the npm packages of the sources in the folder. Links the packages of this checkout if both lockfiles are
 * equal. If they differ, installs them as that version does, because `npm ci` refuses the lockfiles of old versions.
 */
function providePackages(folder: string): void {
  const locked = [folder, ROOT].map((one) => readFileSync(join(one, 'package-lock.json'), 'utf8'));
  if (locked[0] === locked[1]) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['run', '--silent', 'setup'], { cwd: folder, stdio: 'pipe' });
}
