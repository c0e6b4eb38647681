import type { Child } from '../base/child-process.ts';
import { startChildServer } from '../base/child-server.ts';
import type { ProcessLog } from '../base/process-log.ts';
import { resolvePackage } from '../base/repository.ts';

/** The path of the Cerbos binary that npm installed for this platform. Throws when npm installed none. */
export function cerbosBinary(): string {
  return resolvePackage(`@cerbos/cerbos-${process.platform}-${process.arch}`);
}

/** Where Cerbos listens on 127.0.0.1, and where its output goes. */
export interface DecisionPointOptions {
  readonly httpPort: number;
  readonly grpcPort: number;
  readonly log: ProcessLog;
}

/**
 * Starts Cerbos on the policies of this repository and waits until it is healthy. Throws {@link StartError} when it
 * does not get so.
 */
export async function startPolicyDecisionPoint({ httpPort, grpcPort, log }: DecisionPointOptions): Promise<Child> {
  return startChildServer({
    name: 'Cerbos',
    command: [
      cerbosBinary(),
      'server',
      '--config=policies/config.yaml',
      '--log-level=warn',
      `--set=server.httpListenAddr=127.0.0.1:${httpPort}`,
      `--set=server.grpcListenAddr=127.0.0.1:${grpcPort}`,
    ],
    // As policies/Dockerfile has it.
    env: { ...process.env, GOMAXPROCS: '1', GOGC: '400', GOMEMLIMIT: '160MiB' },
    log,
    readyUrl: `http://127.0.0.1:${httpPort}/_cerbos/health`,
  });
}
