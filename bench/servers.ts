import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { portsFrom } from '../emulators/stack/ports.ts';
import { serviceEnvironment } from '../emulators/stack/service-environment.ts';
import { pathOf, type Server, startServer } from './child.ts';

/** What starts a function, as on the platform. */
export const FRAMEWORK = pathOf('../node_modules/.bin/functions-framework');

/** The service's environment: the emulators' addresses, past the stack's fault proxies. */
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
  return serviceEnvironment({ inherited: process.env, flavour, ports, proxies });
}

/** The service as it runs, on a port of its own beside the stack at `base`; by default its rate limit alone is lifted. */
export async function startService(
  base: number,
  port: number,
  more: Readonly<Record<string, string>> = { RATE_LIMIT: 'off' },
): Promise<Server> {
  const url = `http://127.0.0.1:${port}`;
  const args = [FRAMEWORK, `--source=${pathOf('../functions/entry/router.ts')}`, '--target=router', `--port=${port}`];
  return startServer(args, { ...environment(base), ...more }, url, async () => {
    for (let attempt = 0; attempt < 200; attempt++) {
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
