/*
 * Deploys the service: npm run deploy -- [--plan] [--deployment FILE]
 *
 * With --plan it prints the script of commands and runs none of them; without it runs that script. What npm run build
 * made is what is deployed.
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
const { values } = parseArgs({
  options: { plan: { type: 'boolean' }, deployment: { type: 'string', default: join(ROOT, 'deployment.json') } },
});
process.exitCode = deploy();

function deploy(): number {
  try {
    const deployment = readDeployment(values.deployment);
    const script = renderScript(deployment, planDeployment(deployment));
    if (values.plan) {
      process.stdout.write(script);
      return 0;
    }
    const unbuilt = FUNCTION_NAMES.filter((name) => !existsSync(join(ROOT, 'dist', name)));
    if (unbuilt.length > 0) throw new Error(`not built: ${unbuilt.join(', ')}; run npm run build first`);
    writeFileSync(join(ROOT, GATEWAY_DOCUMENT), gatewayConfig(deployment).text);
    return spawnSync('bash', ['-c', script], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
  } catch (error) {
    process.stderr.write(`deploy: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
