/* Checks the prose of the texts below with textlint and cspell: npm run prose. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Every page but generated ones, and every text in the code. Of TypeScript, textlint reads the sentences in strings and in JSX. */
const TEXTS = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/RESULTS.md', 'client/README.md'],
  ...['docs/!(api).md', 'emulators/**/README.md', 'functions/**/README.md'],
  ...['client/src', 'console/src', 'deploy', 'emulators', 'functions', 'operator', 'shared'].map(
    (dir) => `${dir}/**/*.{ts,tsx}`,
  ),
];

const PLUGIN = join(import.meta.dirname, 'typescript.ts');
const COMMANDS = [
  ['textlint', '--plugin', PLUGIN, ...TEXTS],
  ['cspell', '--no-progress', '--no-summary', '--no-must-find-files', ...TEXTS],
];

// Both run, so that one run shows all there is to correct.
const statuses = COMMANDS.map(([program = '', ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status);
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
