import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { functionsOf, readOperations } from '../gateway/document.ts';
import { startGoogleIdentity } from '../gateway/google-identity.ts';
import { startGateway } from '../gateway/server.ts';
import { buildBundles } from './bundles.ts';
import type { Ports } from './ports.ts';
import { repositoryRoot } from './repository.ts';
import { type Service, startService } from './service.ts';
import type { Job } from './service-hooks.ts';

const gatewayAccount = 'gateway@demo-encryption.iam.gserviceaccount.com';
const schedulerAccount = 'scheduler@demo-encryption.iam.gserviceaccount.com';
const jobs: readonly Job[] = ['destroy-due-keys', 'close-month'];

/**
 * Starts the service in the shape in which it is deployed: a process for each function, run from its bundle, and before them the gateway, which
 * routes by the document that is deployed. Functions take requests of the gateway's service account alone, scheduled
 * ones of the scheduler's, which is how {@link Service.run} calls them. Throws as `startService` does.
 */
export async function startDeployedService(
  options: Omit<Parameters<typeof startService>[0], 'target' | 'source' | 'port'> & { readonly ports: Ports },
): Promise<Service> {
  const { ports, env } = options;
  const document = readFileSync(join(repositoryRoot, 'deploy/gateway.json'), 'utf8');
  await buildBundles();
  await using starting = new AsyncDisposableStack();
  const google = await startGoogleIdentity();
  starting.defer(google.stop);

  const called = [...functionsOf(document), ...jobs].map((target, at) => {
    const isJob = jobs.some((job) => job === target);
    return { target, port: ports.functions + at, account: isJob ? schedulerAccount : gatewayAccount };
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
    const own = { target, source: `dist/${target}`, port, env: { ...env, ...invoked } };
    const service = await startService({ ...options, ...own });
    starting.defer(service.stop);
    return service;
  });
  await Promise.allSettled(coming);
  const functions = await Promise.all(coming);
  const gateway = await startGateway({
    port: ports.service,
    operations: readOperations(document, addresses),
    idToken: (audience) => google.idToken(gatewayAccount, audience),
  });
  starting.defer(gateway.stop);

  const each = async (act: (one: Service) => Promise<void>): Promise<void> => {
    await Promise.all(functions.map(act));
  };
  const running = starting.move();
  return {
    tell: (hook) => each((one) => one.tell(hook)),
    run: async (job) => {
      const address = addresses[job] ?? '';
      const authorization = `Bearer ${await google.idToken(schedulerAccount, address)}`;
      const response = await fetch(address, { method: 'POST', headers: { authorization } });
      if (!response.ok) throw new Error(`${job} answered ${response.status}: ${await response.text()}`);
      return response.json();
    },
    whenReady: () => each((one) => one.whenReady()),
    crash: () => each((one) => one.crash()),
    stop: () => running.disposeAsync(),
  };
}
