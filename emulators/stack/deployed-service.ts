import { execFile } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../base/repository.ts';
import type { Job } from '../base/service-hooks.ts';
import { StartError } from '../base/start-error.ts';
import { startGoogleIdentity } from '../gateway/google-identity.ts';
import { functionsOf, readOperations } from '../gateway/routing.ts';
import { startGateway } from '../gateway/server.ts';
import type { Ports } from './ports.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

const GATEWAY_ACCOUNT = 'gateway@demo-encryption.iam.gserviceaccount.com';
const SCHEDULER_ACCOUNT = 'scheduler@demo-encryption.iam.gserviceaccount.com';
const JOBS: readonly Job[] = ['destroy-due-keys', 'close-month', 'seal-audit'];

/** The module that moves the clock of a deployed function, so that its bundle needs no change. */
const PRELOADS = [join(REPOSITORY_ROOT, 'emulators/stack/moved-date.ts')];

interface DeployedOptions extends Omit<ServiceOptions, 'target' | 'source' | 'port'> {
  readonly ports: Ports;
  /** Whether the service is closed: the gateway then sends every request to the function that refuses callers. */
  readonly closed: boolean;
  /** Returns the time of the stack's clock, in milliseconds since the epoch. */
  now(): number;
}

/**
 * Starts one process for each function, behind a gateway. Each function checks the service account of its caller:
 * scheduled functions accept only the scheduler's, other functions only the gateway's. Throws {@link StartError} if a
 * function does not start.
 */
export async function startDeployedService(options: DeployedOptions): Promise<Service> {
  const { ports, env, closed } = options;
  const document = readFileSync(join(REPOSITORY_ROOT, `deploy/gateway${closed ? '-closed' : ''}.json`), 'utf8');
  await buildBundles();
  await using starting = new AsyncDisposableStack();
  const google = await startGoogleIdentity(options.now);
  starting.defer(google.stop);

  const called = [...functionsOf(document), ...JOBS].map((target, at) => {
    const isJob = JOBS.some((job) => job === target);
    return { target, port: ports.functions + at, account: isJob ? SCHEDULER_ACCOUNT : GATEWAY_ACCOUNT };
  });
  const addresses = Object.fromEntries(called.map(({ target, port }) => [target, `http://127.0.0.1:${port}`]));
  const coming = called.map(async ({ target, port, account }) => {
    const invoked = {
      INVOKER_SERVICE_ACCOUNT: account,
      INVOKER_AUDIENCE: addresses[target],
      INVOKER_KEYS_EMULATOR_URL: google.keysUrl,
      CREDENTIAL_HEADER: 'x-forwarded-authorization',
      TRUSTED_PROXY_HOPS: '1',
    };
    const own = { target, source: `dist/${target}`, port, env: { ...env, ...invoked }, preloads: PRELOADS };
    const service = await startService({ ...options, ...own });
    starting.defer(service.stop);
    return [target, service] as const;
  });
  await Promise.allSettled(coming);
  const functions = new Map(await Promise.all(coming));
  const gateway = await startGateway({
    port: ports.service,
    operations: readOperations(document, addresses),
    idToken: (audience) => google.idToken(GATEWAY_ACCOUNT, audience),
  });
  starting.defer(gateway.stop);

  const each = async (act: (one: Service) => Promise<void>): Promise<void> => {
    await Promise.all([...functions.values()].map(act));
  };
  const running = starting.move();
  return {
    tell: (hook) => each((one) => one.tell(hook)),
    async run(job) {
      const address = addresses[job] ?? '';
      const authorization = `Bearer ${await google.idToken(SCHEDULER_ACCOUNT, address)}`;
      const response = await fetch(address, { method: 'POST', headers: { authorization } });
      if (!response.ok) throw new Error(`${job} answered ${response.status}: ${await response.text()}`);
      return response.json();
    },
    // A bundle cannot clear its cached readiness, so a new process must replace the function's process.
    forgetReadiness: async () => functions.get('health')?.crash(),
    whenReady: () => each((one) => one.whenReady()),
    crash: () => each((one) => one.crash()),
    stop: () => running.disposeAsync(),
  };
}

const run = promisify(execFile);
const SOURCES = ['{functions,shared,deploy}/**/*.ts', 'package-lock.json'];

/**
 * Bundles the functions, unless the existing bundles are newer than all sources. Throws {@link StartError} on failure.
 */
async function buildBundles(): Promise<void> {
  const built = globSync('dist/*/index.cjs', { cwd: REPOSITORY_ROOT });
  const oldest = Math.min(...built.map(changedAt));
  const newest = Math.max(...globSync(SOURCES, { cwd: REPOSITORY_ROOT }).map(changedAt));
  if (built.length > 0 && oldest > newest) return;
  try {
    await run(process.execPath, ['deploy/build.ts'], { cwd: REPOSITORY_ROOT });
  } catch (error) {
    throw new StartError(`Bundling the functions failed: ${error instanceof Error ? error.message : error}`);
  }
}

function changedAt(file: string): number {
  return statSync(join(REPOSITORY_ROOT, file)).mtimeMs;
}
