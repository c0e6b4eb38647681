import type { Child } from '../base/child-process.ts';
import { startChildServer } from '../base/child-server.ts';
import type { ProcessLog } from '../base/process-log.ts';
import { resolvePackage } from '../base/repository.ts';

/** Returns the path of the Cerbos binary. Throws if npm did not install the binary for this platform. */
export function cerbosBinary(): string {
  return resolvePackage(`@cerbos/cerbos-${process.platform}-${process.arch}`);
}

export interface DecisionPointOptions {
  readonly httpPort: number;
  readonly grpcPort: number;
  readonly log: ProcessLog;
}

/** Starts Cerbos with the repository's policies. Throws {@link StartError} if Cerbos does not become ready. */
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
    // These settings are the same as in policies/Dockerfile.
    env: { ...process.env, GOMAXPROCS: '1', GOGC: '400', GOMEMLIMIT: '160MiB' },
    log,
    readyUrl: `http://127.0.0.1:${httpPort}/_cerbos/health`,
  });
}
