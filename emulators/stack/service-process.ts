import { dirname, join } from 'node:path';
import { startNode } from './child-process.ts';
import type { ProcessLog } from './process-log.ts';
import { resolvePackage } from './repository.ts';

/** One run of the service. */
export type ServiceProcess = ReturnType<typeof spawnService>;

/** The sources, unless the stack was told to run a bundle. */
const source = process.env.SERVICE_SOURCE || 'functions/entry/router.ts';

/** Starts the service as it is deployed: the functions framework with the router as its function. */
export function spawnService(options: { port: number; env: NodeJS.ProcessEnv; log: ProcessLog }) {
  const framework = join(dirname(resolvePackage('@google-cloud/functions-framework')), 'main.js');
  return startNode({
    name: 'service',
    command: [framework, `--source=${source}`, '--target=router', `--port=${options.port}`],
    env: options.env,
    log: options.log,
  });
}
