import type { Deployment } from './deployment.ts';
import type { Change, Command, Step, Update } from './step.ts';

/**
 * Returns the steps as a bash script. If a command fails, the script stops, and prints the step and `command`, which
 * starts again from the first step.
 */
export function renderScript({ project }: Deployment, steps: readonly Step[], command = 'npm run deploy'): string {
  const head = [
    'set -euo pipefail',
    `export CLOUDSDK_CORE_PROJECT=${quote(project)} CLOUDSDK_CORE_DISABLE_PROMPTS=1`,
    // Google refuses a person's calls to Firestore without a quota project. firebase-tools reads it only here.
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
  // A reading must succeed, unlike the `find` of a `Change`, so the script stops if the command fails.
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

/** The script stops if `find` fails: a schedule whose state is unknown may still run. */
function renderUpdate({ find, update }: Update): string[] {
  return [`FOUND="$(${onLine(find)})"`, ...inside('if [ -n "$FOUND" ]; then', [onLines(update)])];
}

function inside(opening: string, lines: readonly string[]): string[] {
  return [opening, ...lines.map((line) => `  ${line}`), 'fi'];
}

/** Fails if the variable is unset. Otherwise an empty secret would be stored. */
function piped(variable: string, command: Command): string[] {
  return [
    `: "\${${variable}:?is not set; export it and run npm run deploy again}"`,
    `printf %s "$${variable}" | ${onLine(command)}`,
  ];
}

function onLine(command: Command): string {
  return command.map(quote).join(' ');
}

/** Puts each flag on its own line if the command exceeds 120 characters. */
function onLines(command: Command): string {
  const line = onLine(command);
  return line.length <= 120 ? line : line.replaceAll(/ (?="?--)/g, ' \\\n    ');
}

/** Quotes a word for bash. Bash still expands the script's variables, such as `$FOUND`. */
function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `"${word.replaceAll(/["\\`]|\$(?![A-Z])/g, '\\$&')}"`;
}
