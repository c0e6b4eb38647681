/* Checks the files below with textlint and cspell: npm run prose. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** All pages except generated ones. */
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/RESULTS.md', 'client/README.md'],
  ...['docs/!(api).md', 'emulators/**/README.md', 'functions/**/README.md'],
];

/** All code except tests. In TypeScript, textlint reads the sentences in comments, strings and JSX. */
const CODE = [
  ...['bench', 'client/build', 'client/generate', 'client/src', 'console/build', 'console/src', 'deploy', 'emulators'],
  ...['functions', 'operator', 'prose', 'shared'],
]
  .map((dir) => `${dir}/**/*.{ts,tsx}`)
  .concat('*.ts');

/** Excludes prose.test.ts: its sentences must fail the check. */
const TESTS = ['client/test/**/*.ts', 'test/!(prose)/**/*.{ts,tsx}', 'test/*.ts'];

const PLUGIN = join(import.meta.dirname, 'typescript.ts');
const COMMANDS = [
  ['textlint', '--plugin', PLUGIN, ...PAGES, ...CODE, ...TESTS],
  // Without the tests, because most of their unknown words are data.
  ['cspell', '--no-progress', '--no-summary', '--no-must-find-files', ...PAGES, ...CODE],
];

// Both commands always run, so that one run shows every problem.
const statuses = COMMANDS.map(([program = '', ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
