import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './repository.ts';
import { StartError } from './start-error.ts';

const run = promisify(execFile);
const sources = ['{functions,shared,deploy}/**/*.ts', 'package-lock.json'];

/** Has the functions bundled, as `npm run build` does, unless what is there is newer than its sources. Throws {@link StartError} when that fails. */
export async function buildBundles(): Promise<void> {
  const built = globSync('dist/*/index.cjs', { cwd: repositoryRoot });
  const oldest = Math.min(...built.map(changedAt));
  const newest = Math.max(...globSync(sources, { cwd: repositoryRoot }).map(changedAt));
  if (built.length > 0 && oldest > newest) return;
  try {
    await run(process.execPath, ['deploy/build.ts'], { cwd: repositoryRoot });
  } catch (error) {
    throw new StartError(`the functions could not be bundled: ${error instanceof Error ? error.message : error}`);
  }
}

function changedAt(file: string): number {
  return statSync(join(repositoryRoot, file)).mtimeMs;
}
