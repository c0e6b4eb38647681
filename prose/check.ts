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

/** The tests to check. */
const TESTS = ['client/test/**/*.ts', 'test/**/*.{ts,tsx}'];

const PLUGIN = join(import.meta.dirname, 'typescript.ts');
const configuration = (name: string) => ['--config', join(import.meta.dirname, name)];
const COMMANDS = [
  ['textlint', ...configuration('textlint.json'), '--plugin', PLUGIN, ...PAGES, ...CODE, ...TESTS],
  // cspell does not check the tests, because most of their unknown words are data.
  [
    'cspell',
    ...configuration('cspell.json'),
    '--no-progress',
    '--no-summary',
    '--no-must-find-files',
    ...PAGES,
    ...CODE,
  ],
];

// Both commands always run, so that one run shows every problem.
const statuses = COMMANDS.map(([program = '', ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
