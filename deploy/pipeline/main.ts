/*
 * Lets a pipeline of GitHub Actions deploy, without a key file:
 * npx node deploy/pipeline/main.ts --repository OWNER/NAME --environment NAME [--plan] [--deployment FILE]
 *
 * Creates the accounts, roles and APIs that deploy.yml needs. --plan only prints the commands.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readDeployment } from '../read-deployment.ts';
import { givenOptions, renderScript, runScript } from '../script.ts';
import { createPipeline } from './steps.ts';

const ROOT = join(import.meta.dirname, '../..');
const options = z.object({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'must be OWNER/NAME'),
  environment: z.string().regex(/^[\w-]+$/, 'must be the name of an environment'),
  deployment: z.string(),
  plan: z.boolean(),
});

try {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      ...{ repository: text, environment: text, deployment: { ...text, default: join(ROOT, 'deployment.json') } },
      plan: { type: 'boolean', default: false },
    },
  });
  const { deployment: file, plan, ...pipeline } = options.parse(values);
  const deployment = readDeployment(file);
  const command = `npx node deploy/pipeline/main.ts ${givenOptions()}`;
  const script = renderScript(deployment, createPipeline(deployment, pipeline), command);
  if (plan) process.stdout.write(script);
  else process.exitCode = runScript(script);
} catch (error) {
  const message = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : error;
  process.stderr.write(`pipeline: ${String(message).replaceAll('\n', ' ')}\n`);
  process.exitCode = 2;
}
