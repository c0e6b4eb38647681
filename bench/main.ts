/* npm run bench [-- NAME] [-- OPTIONS]: runs a benchmark, by default run.ts. Exits with 1 if a limit is exceeded. */
const BENCHMARKS = new Map<string, () => Promise<unknown>>([
  ['cold', () => import('./cold/run.ts')],
  ['federated', () => import('./federated.ts')],
  ['fields', () => import('./fields/run.ts')],
  ['scale', () => import('./scale.ts')],
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
