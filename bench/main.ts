/*
 * npm run bench [-- NAME] [-- OPTIONS]: measures something that has a limit. Without a name, the operations beside their
 * baseline (run.ts). Exits with 1 when a limit is exceeded.
 */
const BENCHMARKS = new Map<string, () => Promise<unknown>>([
  ['cold', () => import('./cold/run.ts')],
  ['memory', () => import('./memory/run.ts')],
  ['scale', () => import('./scale/run.ts')],
]);

const [, , name] = process.argv;
if (name === undefined || name.startsWith('-')) {
  await import('./run.ts');
} else {
  process.argv.splice(2, 1);
  const benchmark = BENCHMARKS.get(name);
  if (benchmark === undefined)
    throw new Error(`no benchmark ${name}: choose one of ${[...BENCHMARKS.keys()].join(', ')}`);
  await benchmark();
}
