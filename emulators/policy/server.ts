import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Child, type ProcessLog, startChildServer } from '../base/child-process.ts';
import { resolvePackage } from '../base/repository.ts';

/** Returns the path of the Cerbos program: npm's for Linux on x64, otherwise the one on the PATH. Throws if it is missing. */
export function cerbosBinary(): string {
  if (process.platform === 'linux' && process.arch === 'x64') return resolvePackage('@cerbos/cerbos-linux-x64');
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'cerbos'));
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined) throw new Error('Cerbos is not installed; put the program cerbos on the PATH');
  return found;
}

interface DecisionPointOptions {
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
