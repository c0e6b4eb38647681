import { setTimeout as wait } from 'node:timers/promises';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { pathOf, type Server, startServer } from '../child.ts';

const READY_WITHIN_MS = 60_000;

/** The environment of a service beside the stack at `base`, with Firestore at `firestorePort`. */
export function environment(base: number, firestorePort: number): NodeJS.ProcessEnv {
  const ports = portsFrom(base);
  const proxies = {
    kms: { port: ports.kms },
    pdp: { port: ports.policy },
    idp: { port: ports.identity },
    stripe: { port: ports.stripe },
    firestore: { port: firestorePort },
  };
  const flavour = { billing: true, console: true, wrappedRoot: true };
  return { ...serviceEnvironment({ inherited: process.env, flavour, ports, proxies }), RATE_LIMIT: 'off' };
}

/** Starts the service with that environment on a port of its own, and waits until it is ready. `flags` are Node's. */
export function startServiceWith(env: NodeJS.ProcessEnv, port: number, flags: readonly string[] = []): Promise<Server> {
  const url = `http://127.0.0.1:${port}`;
  const framework = pathOf('../node_modules/.bin/functions-framework');
  const args = [
    ...flags,
    framework,
    `--source=${pathOf('../functions/index.ts')}`,
    '--target=router',
    `--port=${port}`,
  ];
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
