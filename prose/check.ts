/* Checks the files below with textlint and cspell: npm run prose. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The pages to check: all except generated pages. */
const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/*.md', 'client/README.md'],
  ...['docs/!(api).md', 'emulators/**/README.md', 'functions/**/README.md', 'test/reliability/README.md'],
];

/** The code to check, except tests. In TypeScript files, textlint checks the sentences in comments, strings and JSX. */
const CODE = [
  ...['bench', 'client/build', 'client/generate', 'client/src', 'console/build', 'console/src', 'deploy', 'emulators'],
  ...['functions', 'operator', 'prose', 'shared'],
]
  .map((dir) => `${dir}/**/*.{ts,tsx}`)
  .concat('*.ts');

/** The tests to check. prose.test.ts is excluded, because its sentences are examples that must fail the check. */
const TESTS = ['client/test/**/*.ts', 'test/!(prose)/**/*.{ts,tsx}', 'test/*.ts'];

const PLUGIN = join(import.meta.dirname, 'typescript.ts');
const COMMANDS = [
  ['textlint', '--plugin', PLUGIN, ...PAGES, ...CODE, ...TESTS],
  // cspell does not check the tests, because most of their unknown words are data.
  ['cspell', '--no-progress', '--no-summary', '--no-must-find-files', ...PAGES, ...CODE],
];

// Both commands always run, so that one run shows every problem.
const statuses = COMMANDS.map(([program = '', ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
