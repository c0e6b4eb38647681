/*
 * npm run bench -- cold [--runs N] [--only NAME,NAME]: measures the time from the start of a function's process to its
 * first answer. Each function is started in three ways: from source, from its bundle, and from its bundle with a code
 * cache. The baseline is a function that only makes a Firestore client. Each run measures all three ways. Prints medians
 * and ratios. Fails if a ratio exceeds its limit.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../../deploy/bundle.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { pathOf } from '../child.ts';
import { environment, sparePort } from '../servers.ts';
import { demoOf } from '../tenant.ts';
import { makeCases } from './probes.ts';
import { coldStart } from './start.ts';
import { type ColdTimes, exceededLimits, showColdTable } from './table.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, only: { type: 'string' } } });
const only = values.only?.split(',');

const DIST = pathOf('../dist');
const BENCH_DIST = join(DIST, 'bench');
const BARE = pathOf('cold/bare.ts');

await bundle('bare', BARE, BENCH_DIST);
const stack = await startSeparateStack();
try {
  const demo = await demoOf(stack);
  const cases = makeCases(demo.api_key, demo.key_id).filter(
    ({ name }) => name === 'bare' || only === undefined || only.includes(name),
  );
  const names = new Set(cases.map(({ name }) => name));
  for (const name of names) writeCodeCache(name);
  const env = { ...environment(stack), NODE_ENV: 'production' };
  const rows = cases.map(({ name, request, probe }) => {
    const times: ColdTimes = { name, request, source: [], bundled: [], cached: [] };
    return { probe, times };
  });
  for (let run = 0; run < Number(values.runs); run++) {
    for (const { probe, times } of rows) {
      const { name } = times;
      const start = (source: string) => coldStart({ target: name, source, env }, probe, sparePort(stack, 0));
      times.source.push(await start(sourceOf(name)));
      times.bundled.push(await start(uncachedOf(name)));
      times.cached.push(await start(folderOf(name)));
      process.stdout.write('.');
    }
  }
  const measured = rows.map(({ times }) => times);
  process.stdout.write(`\n${showColdTable(measured)}`);
  const exceeded = exceededLimits(measured);
  if (exceeded.length > 0) throw new Error(exceeded.join('; '));
} finally {
  await stack.stop();
}

function sourceOf(name: string): string {
  return name === 'bare' ? BARE : pathOf(`../functions/entry/${name}.ts`);
}

function folderOf(name: string): string {
  return join(name === 'bare' ? BENCH_DIST : DIST, name);
}

function uncachedOf(name: string): string {
  return join(BENCH_DIST, 'uncached', name);
}

/** Writes the code cache as the platform's build does, and keeps a copy of the function without the cache. */
function writeCodeCache(name: string): void {
  rmSync(join(folderOf(name), 'code-cache'), { force: true });
  cpSync(folderOf(name), uncachedOf(name), { recursive: true });
  execFileSync(process.execPath, [join(folderOf(name), 'warm.ts'), name], { stdio: 'ignore' });
}
