/*
 * Deploys the output of npm run build, compares what runs with the deployment file, or deletes a deployment.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { hashFolder } from './decision-point.ts';
import type { Deployment } from './deployment.ts';
import { planDestruction, WARNING, WARNING_KEYS, WITHOUT_KEYS } from './destroy.ts';
import { surplusBindings } from './drift/bindings.ts';
import { askGcloud, findDrift, readContext, renderDifferences } from './drift/drift.ts';
import { FUNCTION_NAMES, type FunctionName } from './functions.ts';
import { gatewayConfigs } from './gateway.ts';
import { planDeployment, type Run } from './plan.ts';
import { readDeployment } from './read-deployment.ts';
import { givenOptions, renderScript, runScript } from './script.ts';
import type { Step } from './step.ts';
import { removeBindings } from './steps/access.ts';
import { monitoringFiles } from './steps/monitoring.ts';

/**
 * Asks a question, and returns whether the answer is exactly `expected`. Without input, such as in a pipeline, the
 * answer is no.
 */
async function confirm(question: string, expected: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    return (await Promise.race([terminal.question(question), closed])).trim() === expected;
  } finally {
    terminal.close();
  }
}

const ROOT = join(import.meta.dirname, '..');
const CONSOLE = join(ROOT, 'dist/console');

const USAGE = `Usage: npm run deploy -- [--closed | --open] [--plan | --check] [--yes] [--deployment FILE]
       npm run deploy -- --destroy [--keys] [--plan] [--deployment FILE]

Without options, deploys the output of npm run build. A closed service stays closed.

  --plan              only prints the script with the commands
  --check             compares what runs with the deployment file, and exits with 1 if there is a difference
  --closed            only closes the service
  --open              opens the service after all other steps
  --yes               removes grants that the deployment file does not have without asking
  --destroy           deletes the deployment, after asking for the project's ID
  --keys              also destroys all versions of all keys
  --deployment FILE   uses FILE instead of deployment.json
`;
process.exitCode = await main();

/** Parses the command line. Throws an `Error` if it is wrong. */
function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const file = { type: 'string', default: join(ROOT, 'deployment.json') } as const;
  const { values } = parseArgs({
    options: {
      ...{ plan: flag, check: flag, closed: flag, open: flag, yes: flag, destroy: flag, keys: flag, help: flag },
      deployment: file,
    },
  });
  if (values.keys && !values.destroy) throw new Error('--keys needs --destroy');
  const kinds = (['check', 'closed', 'open', 'destroy'] as const).filter((kind) => values[kind]);
  if (values.check && values.plan) throw new Error('--check and --plan cannot be used together');
  if (kinds.length > 1) throw new Error(`--${kinds.join(' and --')} cannot be used together`);
  const run: Run = values.closed ? 'close' : values.open ? 'deploy and open' : 'deploy';
  const given = givenOptions();
  return { ...values, run, command: given === '' ? 'npm run deploy' : `npm run deploy -- ${given}` };
}
type Options = ReturnType<typeof readOptions>;

async function main(): Promise<number> {
  let options: Options;
  try {
    options = readOptions();
  } catch (error) {
    return fail(error, 2);
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    const deployment = readDeployment(options.deployment);
    if (options.check) return check(deployment);
    if (options.destroy) return await destroy(deployment, options);
    return options.plan ? plan(deployment, options) : await deploy(deployment, options);
  } catch (error) {
    // With --check, 1 means that there are differences.
    return fail(error, options.check ? 2 : 1);
  }
}

function check(deployment: Deployment): number {
  const isConsoleBuilt = existsSync(CONSOLE);
  const context = readContext(deployment, askGcloud(deployment), hashOfBuilt, isConsoleBuilt ? CONSOLE : undefined);
  const differences = findDrift(context);
  const missing = unbuilt();
  if (missing.length > 0)
    process.stderr.write(`deploy: not compared, because it is not built: the code of ${missing.join(', ')}\n`);
  if (deployment.consoleOrigin !== undefined && !isConsoleBuilt)
    process.stderr.write('deploy: not compared, because a deployment builds them: the files of the console\n');
  if (differences.length === 0) {
    process.stdout.write('what runs is what the deployment file says\n');
    return 0;
  }
  process.stdout.write(renderDifferences(differences));
  return 1;
}

function plan(deployment: Deployment, options: Options): number {
  let removals: Step[] = [];
  try {
    removals = findRemovals(deployment, options);
  } catch (error) {
    fail(error, 0);
    process.stderr.write('deploy: the plan shows no removals of grants, because the grants could not be read\n');
  }
  process.stdout.write(renderScript(deployment, planDeployment(deployment, options.run, removals), options.command));
  return 0;
}

async function deploy(deployment: Deployment, options: Options): Promise<number> {
  if (options.run !== 'close') refuseUnbuilt();
  const removals = findRemovals(deployment, options);
  const question = `The deployment file does not have these grants:\n${removals.map(({ what }) => `  ${what}\n`).join('')}`;
  if (removals.length > 0 && !options.yes && !(await confirm(`${question}Remove them? Type yes: `, 'yes')))
    throw new Error('nothing was deployed. To remove the grants without a question, use --yes');
  const script = renderScript(deployment, planDeployment(deployment, options.run, removals), options.command);
  mkdirSync(join(ROOT, 'dist/monitoring'), { recursive: true });
  for (const { file, text } of [...gatewayConfigs(deployment), ...monitoringFiles(deployment)])
    writeFileSync(join(ROOT, file), text);
  return runScript(script);
}

async function destroy(deployment: Deployment, { plan: onlyPlan, keys, command }: Options): Promise<number> {
  const steps = planDestruction(readContext(deployment, askGcloud(deployment)), keys);
  const script = renderScript(deployment, steps, command);
  if (onlyPlan) {
    process.stdout.write(script);
    return 0;
  }
  const question = `${WARNING}${keys ? WARNING_KEYS : WITHOUT_KEYS}\nTo delete it, type the project's ID (${deployment.project}): `;
  if (!(await confirm(question, deployment.project))) throw new Error('nothing was deleted');
  return runScript(script);
}

/** Returns the steps that remove the grants of earlier releases. Closing the service changes no grants. */
function findRemovals(deployment: Deployment, { run }: Options): Step[] {
  return run === 'close' ? [] : removeBindings(surplusBindings(readContext(deployment, askGcloud(deployment))));
}

function hashOfBuilt(name: FunctionName): string | undefined {
  return unbuilt().includes(name) ? undefined : hashFolder(join(ROOT, 'dist', name));
}

function unbuilt(): FunctionName[] {
  return FUNCTION_NAMES.filter((name) => !existsSync(join(ROOT, 'dist', name)));
}

function refuseUnbuilt(): void {
  const missing = unbuilt();
  if (missing.length > 0)
    throw new Error(`these functions are not built: ${missing.join(', ')}. Run npm run build first.`);
}

/** Prints the error on one line. Returns the exit code. */
function fail(error: unknown, exitCode: number): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`deploy: ${message.replaceAll('\n', ' ')}\n`);
  return exitCode;
}
