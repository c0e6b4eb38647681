/*
 * Deploys the service: npm run deploy -- [--closed | --open] [--plan] [--deployment FILE]
 *
 * Deploys the output of npm run build. If the service is closed, it stays closed. --closed only closes the service,
 * without a deployment. --open opens the service after all other steps. --plan only prints the script with the
 * commands.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readDeployment } from './deployment.ts';
import { FUNCTION_NAMES } from './functions.ts';
import { gatewayConfigs } from './gateway-config.ts';
import { planDeployment, type Run } from './plan.ts';
import { renderScript } from './script.ts';

const ROOT = join(import.meta.dirname, '..');
process.exitCode = deploy();

/** Parses the command line. Throws an `Error` if it is wrong. */
function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const file = { type: 'string', default: join(ROOT, 'deployment.json') } as const;
  const { values } = parseArgs({ options: { plan: flag, closed: flag, open: flag, deployment: file } });
  if (values.closed && values.open) throw new Error('--closed and --open cannot be used together');
  const run: Run = values.closed ? 'close' : values.open ? 'deploy and open' : 'deploy';
  return {
    ...values,
    run,
    command: `npm run deploy${values.closed ? ' -- --closed' : values.open ? ' -- --open' : ''}`,
  };
}

function deploy(): number {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions();
  } catch (error) {
    return fail(error, 2);
  }
  try {
    const deployment = readDeployment(options.deployment);
    const script = renderScript(deployment, planDeployment(deployment, options.run), options.command);
    if (options.plan) {
      process.stdout.write(script);
      return 0;
    }
    if (options.run !== 'close') refuseUnbuilt();
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    for (const { file, text } of gatewayConfigs(deployment)) writeFileSync(join(ROOT, file), text);
    return spawnSync('bash', ['-c', script], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
  } catch (error) {
    return fail(error, 1);
  }
}

function refuseUnbuilt(): void {
  const missing = FUNCTION_NAMES.filter((name) => !existsSync(join(ROOT, 'dist', name)));
  if (missing.length > 0)
    throw new Error(`these functions are not built: ${missing.join(', ')}. Run npm run build first.`);
}

/** Prints the error on one line. Returns the exit code. */
function fail(error: unknown, exitCode: number): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`deploy: ${message.replaceAll('\n', ' ')}\n`);
  return exitCode;
}
