import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import type { Change, Command, Condition, Step, Trial, Update } from './step.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * A function that runs a command again, for up to ten minutes, while its error says that Google does not know a new
 * account, metric or API yet. In a new project, Google needs a few minutes to spread them.
 */
const PATIENTLY = [
  // Tests set the variable.
  `: "\${PAUSE_SECONDS:=30}"`,
  "NOT_YET='does not exist|Cannot find metric|has not been used in project|SERVICE_DISABLED'",
  'patiently() {',
  '  local attempt errors',
  '  for attempt in {1..20}; do',
  '    { errors="$("$@" 2>&1 >&3)" && return; } 3>&1',
  '    if ! [[ "$errors" =~ $NOT_YET ]] || [ "$attempt" = 20 ]; then break; fi',
  '    echo "   Google does not know a new resource yet. The next try is in 30 seconds." >&2',
  '    sleep "$PAUSE_SECONDS"',
  '  done',
  '  echo "$errors" >&2',
  '  return 1',
  '}',
];

/**
 * Returns a bash script that runs the steps. If a command fails, the script stops. It then prints the failed step, and
 * the command `command`, with which the user can run all steps again.
 */
export function renderScript({ project }: Deployment, steps: readonly Step[], command = 'npm run deploy'): string {
  const head = [
    'set -euo pipefail',
    `export CLOUDSDK_CORE_PROJECT=${quote(project)} CLOUDSDK_CORE_DISABLE_PROMPTS=1`,
    // Without a quota project, Google refuses calls to Firestore that use a person's credentials. firebase-tools reads
    // it only from this variable.
    `export GOOGLE_CLOUD_QUOTA_PROJECT=${quote(project)}`,
    'step() { STEP="$*"; echo "== $STEP"; }',
    ...PATIENTLY,
    `AGAIN=${quoteAll(command)}`,
    `trap 'echo "deploy: failed at step: $STEP. Fix the error above, then run $AGAIN again." >&2' ERR`,
  ];
  return `${[...head, ...steps.flatMap((step) => ['', ...renderStep(step)])].join('\n')}\n`;
}

/** Returns the options of this program's command line as words for a shell, without `--plan`, to do what a plan shows. */
export function givenOptions(): string {
  return process.argv
    .slice(2)
    .filter((word) => word !== '--plan')
    .map(quoteAll)
    .join(' ');
}

/**
 * Runs a script in the root of the repository. Returns its exit code. Throws an `Error` if bash does not start or does not
 * end by itself.
 */
export function runScript(script: string): number {
  const file = openDeleted(script);
  try {
    // The script is not an argument, because Linux limits an argument to 128 KiB. Its standard input is the terminal.
    const { status, signal, error } = spawnSync('bash', ['/dev/fd/3'], {
      cwd: ROOT,
      stdio: ['inherit', 'inherit', 'inherit', file],
    });
    if (status === null) throw error ?? new Error(`the script was ended by ${signal}`);
    return status;
  } finally {
    closeSync(file);
  }
}

/** Opens a file with this text, and deletes it at once: a signal ends the program before it could delete the file later. */
function openDeleted(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  try {
    const path = join(folder, 'script');
    writeFileSync(path, text, { mode: 0o600 });
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function renderStep(step: Step): string[] {
  return [`step ${quote(step.what)}`, ...renderAction(step)];
}

function renderAction(step: Step): string[] {
  if ('create' in step) return onlyIf(step.onlyIf, renderChange(step));
  if ('update' in step) return onlyIf(step.onlyIf, renderUpdate(step));
  if ('test' in step) return onlyIf(step.onlyIf, renderTrial(step));
  const reading = `${'patient' in step ? 'patiently ' : ''}${onLine(step.read)}`;
  if ('keep' in step) return [`${step.keep}="$(${reading})"`, `${step.keep}="\${${step.keep}:-${step.otherwise}}"`];
  const difference = quote(`found: $FOUND, expected: ${step.expects}`);
  return [`FOUND="$(${reading})"`, `[ "$FOUND" = ${quote(step.expects)} ] || { echo ${difference} >&2; false; }`];
}

function renderChange({ find, create, update, keep = 'FOUND', input, patient }: Change): string[] {
  const run = (command: Command) => `${patient ? 'patiently ' : ''}${onLines(command)}`;
  const making = input === undefined ? [run(create)] : piped(input, create);
  if (find === undefined) return making;
  // Only the first line counts. The assignment fails if the command fails, so an error never counts as "not there".
  const finding = [`${keep}="$(${onLine(find)})"`, `${keep}="\${${keep}%%$'\\n'*}"`];
  return [
    ...finding,
    `if [ -z "$${keep}" ]; then`,
    ...making.map((line) => `  ${line}`),
    ...(keep === 'FOUND' ? [] : [...finding, `[ -n "$${keep}" ]`].map((line) => `  ${line}`)),
    ...(update === undefined ? [] : ['else', `  ${run(update)}`]),
    'fi',
  ];
}

/**
 * Returns the lines for an update. The script stops if `find` fails, because then it does not know the state. For
 * example, a schedule may still be running.
 */
function renderUpdate({ find, update }: Update): string[] {
  return [`FOUND="$(${onLine(find)})"`, ...inside('if [ -n "$FOUND" ]; then', [onLines(update)])];
}

/** Returns the lines for a test, and for what happens if it fails. */
function renderTrial({ what, test, needs, undoIf, undo, undone, otherwise, otherwiseDone }: Trial): string[] {
  const answer = (steps: readonly Step[], done: string) => [
    ...steps.flatMap(renderStep).map((line) => `  ${line}`),
    `  echo ${quote(`deploy: failed at step: ${what}. ${done}.`)} >&2`,
    '  exit 1',
  ];
  return [
    `if ${needs}="$${needs}" ${onLine(test)}; then`,
    '  :',
    `elif [ ${undoIf} ]; then`,
    ...answer(undo, undone),
    'else',
    ...answer(otherwise, otherwiseDone),
    'fi',
  ];
}

function onlyIf(condition: Condition | undefined, lines: string[]): string[] {
  return condition === undefined ? lines : inside(`if [ ${condition} ]; then`, lines);
}

function inside(opening: string, lines: readonly string[]): string[] {
  return [opening, ...lines.map((line) => `  ${line}`), 'fi'];
}

/**
 * Returns the lines that pipe an environment variable into a command. The script stops if the variable is unset.
 * Otherwise it would store an empty secret.
 */
function piped(variable: string, command: Command): string[] {
  return [
    `: "\${${variable}:?is not set; export it and run $AGAIN again}"`,
    `printf %s "$${variable}" | ${onLine(command)}`,
  ];
}

function onLine(command: Command): string {
  return command.map(quote).join(' ');
}

/** Returns a command for the script. A command of more than 120 characters has each flag on a separate line. */
function onLines(command: Command): string {
  const line = onLine(command);
  return line.length <= 120 ? line : line.replaceAll(/ (?="?--)/g, ' \\\n    ');
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** Quotes a word for bash. Bash still replaces the script's variables in it, such as `$FOUND`. */
function quote(word: string): string {
  if (PLAIN.test(word)) return word;
  return `"${word.replaceAll(/["\\`]|\$(?![A-Z])/g, '\\$&')}"`;
}

/** Quotes a word for a shell, which replaces nothing in it. */
function quoteAll(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
