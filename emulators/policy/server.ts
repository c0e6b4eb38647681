import type { Child } from '../stack/child-process.ts';
import { startChildServer } from '../stack/child-server.ts';
import type { ProcessLog } from '../stack/process-log.ts';
import { resolvePackage } from '../stack/repository.ts';

/** The decision point's program as npm installed it for this machine. Throws where there is none for it. */
export function cerbosBinary(): string {
  return resolvePackage(`@cerbos/cerbos-${process.platform}-${process.arch}`);
}

/** Starts Cerbos on the policies of this repository and waits until it decides. Throws when it does not come up. */
export async function startPolicyDecisionPoint(options: {
  httpPort: number;
  grpcPort: number;
  log: ProcessLog;
}): Promise<Child> {
  return startChildServer({
    name: 'Cerbos',
    command: [
      cerbosBinary(),
      'server',
      '--config=policies/config.yaml',
      '--log-level=warn',
      `--set=server.httpListenAddr=127.0.0.1:${options.httpPort}`,
      `--set=server.grpcListenAddr=127.0.0.1:${options.grpcPort}`,
    ],
    log: options.log,
    readyUrl: `http://127.0.0.1:${options.httpPort}/_cerbos/health`,
  });
}
