import { setTimeout as wait } from 'node:timers/promises';
import { pathOf, type Server, startServer } from '../child.ts';
import { FRAMEWORK } from '../servers.ts';

const READY_WITHIN_MS = 60_000;

/** Starts the service with that environment on a port of its own, and waits until it is ready. `flags` are Node's. */
export function startServiceWith(env: NodeJS.ProcessEnv, port: number, flags: readonly string[] = []): Promise<Server> {
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
