/*
 * npm run bench:cold [-- --runs N] [-- --only NAME,NAME]: the time from the start of a function's process to its first
 * answer, for each function as source, bundled, and bundled with a compile cache, beside a bare function that only makes
 * a Firestore client. Interleaved; prints medians and ratios and writes bench/cold.json.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { bundle } from '../deploy/bundle.ts';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { pathOf } from './child.ts';
import { makeCases } from './cold-probes.ts';
import { coldStart } from './cold-start.ts';
import { type ColdTimes, showColdTable } from './cold-table.ts';
import { environment } from './servers.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, only: { type: 'string' } } });
const only = values.only?.split(',');

const DIST = pathOf('../dist');
const BARE = { entry: pathOf('bare.ts'), dist: join(DIST, 'bench') };

const overview = z.object({ demo: z.object({ api_key: z.string(), key_id: z.string() }) });

await bundle('bare', BARE.entry, BARE.dist);
const stack = await startSeparateStack();
try {
  const base = Number(new URL(stack.baseUrl).port);
  const { demo } = overview.parse(await (await fetch(`${stack.controlUrl}/`)).json());
  const cases = makeCases(demo.api_key, demo.key_id).filter(
    ({ name }) => name === 'bare' || only === undefined || only.includes(name),
  );
  for (const name of new Set(cases.map((one) => one.name))) writeCompileCache(name);
  const env = { ...environment(base), NODE_ENV: 'production' };
  const rows = cases.map(({ name, asked, probe }) => {
    const times: ColdTimes = { name, asked, source: [], bundled: [], cached: [] };
    return { probe, times };
  });
  for (let run = 0; run < Number(values.runs); run++) {
    for (const { probe, times } of rows) {
      const { name } = times;
      const start = (source: string, more = {}) =>
        coldStart({ target: name, source, env: { ...env, ...more } }, probe, base + 10);
      times.source.push(await start(sourceOf(name)));
      times.bundled.push(await start(folderOf(name)));
      times.cached.push(await start(folderOf(name), { NODE_COMPILE_CACHE: cacheOf(name) }));
      process.stdout.write('.');
    }
  }
  const measured = rows.map(({ times }) => times);
  writeFileSync(pathOf('cold.json'), `${JSON.stringify(measured, null, 1)}\n`);
  process.stdout.write(`\n${showColdTable(measured)}`);
} finally {
  await stack.stop();
}

function sourceOf(name: string): string {
  return name === 'bare' ? BARE.entry : pathOf(`../functions/entry/${name}.ts`);
}

function folderOf(name: string): string {
  return join(name === 'bare' ? BARE.dist : DIST, name);
}

function cacheOf(name: string): string {
  return join(folderOf(name), 'compile-cache');
}

/** As the platform's build does. */
function writeCompileCache(name: string): void {
  const env = { ...process.env, NODE_COMPILE_CACHE: cacheOf(name) };
  execFileSync(process.execPath, [join(folderOf(name), 'warm.ts'), name], { env });
}
