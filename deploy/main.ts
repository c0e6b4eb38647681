/*
 * Deploys the service: npm run deploy -- [--plan] [--deployment FILE]
 *
 * Deploys what npm run build built. With --plan it only prints the script of commands that it would run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readDeployment } from './deployment.ts';
import { FUNCTION_NAMES } from './functions.ts';
import { GATEWAY_DOCUMENT, gatewayConfig } from './gateway-config.ts';
import { planDeployment } from './plan.ts';
import { renderScript } from './script.ts';

const ROOT = join(import.meta.dirname, '..');
process.exitCode = deploy();

function readOptions() {
  const deployment = { type: 'string', default: join(ROOT, 'deployment.json') } as const;
  return parseArgs({ options: { plan: { type: 'boolean' }, deployment } }).values;
}

function deploy(): number {
  let values: ReturnType<typeof readOptions>;
  try {
    values = readOptions();
  } catch (error) {
    return fail(error, 2);
  }
  try {
    const deployment = readDeployment(values.deployment);
    const script = renderScript(deployment, planDeployment(deployment));
    if (values.plan) {
      process.stdout.write(script);
      return 0;
    }
    const missing = FUNCTION_NAMES.filter((name) => !existsSync(join(ROOT, 'dist', name)));
    if (missing.length > 0)
      throw new Error(`these functions are not built: ${missing.join(', ')}. Run npm run build first.`);
    writeFileSync(join(ROOT, GATEWAY_DOCUMENT), gatewayConfig(deployment).text);
    return spawnSync('bash', ['-c', script], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
  } catch (error) {
    return fail(error, 1);
  }
}

/** Says in one line why the deployment did not start. */
function fail(error: unknown, exitCode: number): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`deploy: ${message.replaceAll('\n', ' ')}\n`);
  return exitCode;
}
