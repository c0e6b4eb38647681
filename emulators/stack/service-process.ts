import { dirname, join } from 'node:path';
import { startNode } from './child-process.ts';
import type { ProcessLog } from './process-log.ts';
import { resolvePackage } from './repository.ts';

/** One run of the service. */
export type ServiceProcess = ReturnType<typeof spawnService>;

/** Starts a function as it is deployed, with the functions framework, from its source: a file or a folder in the repository. */
export function spawnService(options: {
  target: string;
  source: string;
  port: number;
  env: NodeJS.ProcessEnv;
  log: ProcessLog;
}) {
  const { target, source, port, env } = options;
  const framework = join(dirname(resolvePackage('@google-cloud/functions-framework')), 'main.js');
  return startNode({
    name: `the function ${target}`,
    command: [framework, `--source=${source}`, `--target=${target}`, `--port=${port}`],
    env,
    log: options.log,
  });
}
