import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../base/repository.ts';
import { StartError } from '../base/start-error.ts';

const run = promisify(execFile);
const SOURCES = ['{functions,shared,deploy}/**/*.ts', 'package-lock.json'];

/**
 * Bundles the functions, unless the existing bundles are newer than all sources. Throws {@link StartError} on failure.
 */
export async function buildBundles(): Promise<void> {
  const built = globSync('dist/*/index.cjs', { cwd: REPOSITORY_ROOT });
  const oldest = Math.min(...built.map(changedAt));
  const newest = Math.max(...globSync(SOURCES, { cwd: REPOSITORY_ROOT }).map(changedAt));
  if (built.length > 0 && oldest > newest) return;
  try {
    await run(process.execPath, ['deploy/build.ts'], { cwd: REPOSITORY_ROOT });
  } catch (error) {
    throw new StartError(`Bundling the functions failed: ${error instanceof Error ? error.message : error}`);
  }
}

function changedAt(file: string): number {
  return statSync(join(REPOSITORY_ROOT, file)).mtimeMs;
}
