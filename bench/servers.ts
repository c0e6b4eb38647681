import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { portsFrom } from '../emulators/stack/ports.ts';
import { serviceEnvironment } from '../emulators/stack/service-environment.ts';
import { pathOf, type Server, startServer } from './child.ts';

const READY_WITHIN_MS = 60_000;

/** What starts a function, as on the platform. */
export const FRAMEWORK = pathOf('../node_modules/.bin/functions-framework');

/** The service's environment: the emulators' addresses, past the stack's fault proxies, and no rate limit. */
export function environment(base: number): NodeJS.ProcessEnv {
  const ports = portsFrom(base);
  const direct = (port: number) => ({ port });
  const proxies = {
    kms: direct(ports.kms),
    pdp: direct(ports.policy),
    idp: direct(ports.identity),
    stripe: direct(ports.stripe),
    firestore: direct(ports.firestore),
  };
  const flavour = { billing: true, console: true, wrappedRoot: true };
  const service = serviceEnvironment({ inherited: process.env, flavour, ports, proxies });
  // As the service sets it for itself: the floor and bare trips have it no harder.
  return { ...service, FIRESTORE_ENABLE_TRACING: 'off', RATE_LIMIT: 'off' };
}

/** Starts the service as it runs, with that environment, on a port of its own, and waits until it is ready. `flags` are Node's. */
export function startService(env: NodeJS.ProcessEnv, port: number, flags: readonly string[] = []): Promise<Server> {
  const url = `http://127.0.0.1:${port}`;
  const source = pathOf('../functions/entry/router.ts');
  const args = [...flags, FRAMEWORK, `--source=${source}`, '--target=router', `--port=${port}`];
  return startServer(args, env, url, async () => {
    const until = performance.now() + READY_WITHIN_MS;
    while (performance.now() < until) {
      const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
      if (answer?.status === 200) return;
      await wait(50);
    }
    throw new Error('the service did not become ready');
  });
}

/** The floor, on a port of its own. */
export async function startFloor(base: number, port: number): Promise<Server> {
  const env = { ...environment(base), PORT: String(port) };
  return startServer([pathOf('floor.ts')], env, `http://127.0.0.1:${port}/`, async (child) => {
    await once(child, 'message');
  });
}
