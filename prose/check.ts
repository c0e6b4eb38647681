/* Checks the prose of the texts below with textlint and cspell: npm run prose. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Every page but generated ones. */
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/RESULTS.md', 'client/README.md'],
  ...['docs/!(api).md', 'emulators/**/README.md', 'functions/**/README.md'],
];

/** All code but tests. Of TypeScript, textlint reads the sentences in comments, in strings and in JSX. */
const CODE = [
  ...['bench', 'client/build', 'client/generate', 'client/src', 'console/build', 'console/src', 'deploy', 'emulators'],
  ...['functions', 'operator', 'prose', 'shared'],
]
  .map((dir) => `${dir}/**/*.{ts,tsx}`)
  .concat('*.ts');

/** Not prose.test.ts: its sentences are what the check refuses. */
const TESTS = ['client/test/**/*.ts', 'test/!(prose)/**/*.{ts,tsx}', 'test/*.ts'];

const PLUGIN = join(import.meta.dirname, 'typescript.ts');
const COMMANDS = [
  ['textlint', '--plugin', PLUGIN, ...PAGES, ...CODE, ...TESTS],
  // Not the tests: most of their words that no dictionary has are data.
  ['cspell', '--no-progress', '--no-summary', '--no-must-find-files', ...PAGES, ...CODE],
];

// Both run, so that one run shows all there is to correct.
const statuses = COMMANDS.map(([program = '', ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
