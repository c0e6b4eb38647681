import type { Deployment } from './deployment.ts';
import type { Change, Command, Step, Update } from './step.ts';

/**
 * The steps as a bash script, which a plan prints and `command` runs. It stops at the first command that fails, and
 * prints its step. Run again, it starts from the first step.
 */
export function renderScript({ project }: Deployment, steps: readonly Step[], command = 'npm run deploy'): string {
  const head = [
    'set -euo pipefail',
    `export CLOUDSDK_CORE_PROJECT=${quote(project)} CLOUDSDK_CORE_DISABLE_PROMPTS=1`,
    // Google refuses a person's calls to Firestore that name no project for the quota. firebase-tools reads it here only.
    `export GOOGLE_CLOUD_QUOTA_PROJECT=${quote(project)}`,
    'step() { STEP="$*"; echo "== $STEP"; }',
    `trap 'echo "deploy: failed at step: $STEP. Fix the error above, then run ${command} again." >&2' ERR`,
  ];
  return `${[...head, ...steps.flatMap((step) => ['', ...renderStep(step)])].join('\n')}\n`;
}

function renderStep(step: Step): string[] {
  return [`step ${quote(step.what)}`, ...renderAction(step)];
}

function renderAction(step: Step): string[] {
  if ('create' in step || 'update' in step) {
    const lines = 'create' in step ? renderChange(step) : renderUpdate(step);
    return step.onlyIf === undefined ? lines : inside(`if [ ${step.onlyIf} ]; then`, lines);
  }
  const reading = onLine(step.read);
  // Unlike what a change looks for, this must be known: the script stops where the command fails.
  if ('keep' in step) return [`${step.keep}="$(${reading})"`, `${step.keep}="\${${step.keep}:-${step.otherwise}}"`];
  const difference = quote(`found: $FOUND, expected: ${step.expects}`);
  return [`FOUND="$(${reading})"`, `[ "$FOUND" = ${quote(step.expects)} ] || { echo ${difference} >&2; false; }`];
}

function renderChange({ find, create, update, keep = 'FOUND', input }: Change): string[] {
  const making = input === undefined ? [onLines(create)] : piped(input, create);
  if (find === undefined) return making;
  const finding = onLine(find);
  return [
    `${keep}="$(${finding} 2>/dev/null | head -n 1)" || true`,
    `if [ -z "$${keep}" ]; then`,
    ...making.map((line) => `  ${line}`),
    ...(keep === 'FOUND' ? [] : [`  ${keep}="$(${finding} | head -n 1)"`]),
    ...(update === undefined ? [] : ['else', `  ${onLines(update)}`]),
    'fi',
  ];
}

/** The script stops where `find` fails: a schedule that cannot be read may run. */
function renderUpdate({ find, update }: Update): string[] {
  return [`FOUND="$(${onLine(find)})"`, ...inside('if [ -n "$FOUND" ]; then', [onLines(update)])];
}

function inside(opening: string, lines: readonly string[]): string[] {
  return [opening, ...lines.map((line) => `  ${line}`), 'fi'];
}

/** Fails when the variable is unset: the command would store empty input as the secret. */
function piped(variable: string, command: Command): string[] {
  return [
    `: "\${${variable}:?is not set; export it and run npm run deploy again}"`,
    `printf %s "$${variable}" | ${onLine(command)}`,
  ];
}

function onLine(command: Command): string {
  return command.map(quote).join(' ');
}

/** A command of more than 120 characters, with a line for each flag. */
function onLines(command: Command): string {
  const line = onLine(command);
  return line.length <= 120 ? line : line.replaceAll(/ (?="?--)/g, ' \\\n    ');
}

/** Quotes a word for bash, which still expands the script's own variables in it. */
function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `"${word.replaceAll(/["\\`]|\$(?![A-Z])/g, '\\$&')}"`;
}
