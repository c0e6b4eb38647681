import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type NodeChild, startNode } from '../base/child-process.ts';
import type { ProcessLog } from '../base/process-log.ts';
import { REPOSITORY_ROOT, resolvePackage } from '../base/repository.ts';

export type ServiceProcess = NodeChild;

export interface FunctionOptions {
  readonly target: string;
  /** The code to run: a file or a folder in the repository. */
  readonly source: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  readonly preloads?: readonly string[];
  readonly log: ProcessLog;
}

export function spawnService(options: FunctionOptions): NodeChild {
  const { target, source, port, env, preloads = [] } = options;
  const framework = join(dirname(resolvePackage('@google-cloud/functions-framework')), 'main.js');
  return startNode({
    name: `the function ${target}`,
    command: [
      // `--import` expects a URL. In a path, it would misread characters such as `#` and `%`.
      ...[join(REPOSITORY_ROOT, 'functions/preload/all.ts'), ...preloads].map(
        (module) => `--import=${pathToFileURL(module)}`,
      ),
      framework,
      `--source=${source}`,
      `--target=${target}`,
      `--port=${port}`,
    ],
    env,
    log: options.log,
  });
}
