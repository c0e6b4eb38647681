import { once } from 'node:events';
import { createServer } from 'node:http';
import { vi } from 'vitest';
import { z } from 'zod';
import { openEverything } from '../../functions/compose/everything.ts';
import type { Process } from '../../functions/compose/process.ts';
import { type MovableClock, makeMovableClock } from '../../functions/local/movable-clock.ts';
import type { Parts } from '../../functions/needs.ts';
import { makeRouter } from '../../functions/router.ts';
import { GROUPS } from '../../functions/routes.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { makeLog } from '../../shared/base/log.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { readConfig } from '../../shared/config.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { routesOf } from '../../shared/http/group.ts';
import { bind } from '../../shared/http/route.ts';
import { makeListener } from '../../shared/http/serve.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { NO_METRICS } from '../../shared/telemetry/metrics.ts';
import type { Addresses } from './client.ts';
import { listen, serviceSettings } from './second-service.ts';
import { HOUR_MS } from './steer.ts';

const line = z.record(z.string(), z.unknown());

/** Settings that add to the stack's settings or replace them; `undefined` removes a setting. */
type Settings = Readonly<Record<string, string | undefined>>;

/** The parts of the service in the test's process, connected to a stack's store and emulators. */
export interface InProcess {
  /** The parts of all functions. */
  readonly services: Process & Parts;
  readonly clock: MovableClock;
  /** The log lines so far. */
  readonly logged: Record<string, unknown>[];
  /** Sets the clock of this process only. The clock runs on from this time. */
  setClock(now: string): void;
}

/**
 * Starts the service's parts in this process. Sets environment variables until the end of the calling test file. `load`
 * can replace the client of the payment provider.
 */
export function openInProcess(stack: Addresses, more: Settings = {}, load: typeof loadStripe = loadStripe): InProcess {
  const settings = { ...serviceSettings(stack), ...more };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const logged: Record<string, unknown>[] = [];
  const clock = makeMovableClock(makeClock());
  const log = makeLog((text) => logged.push(line.parse(JSON.parse(text))));
  const own = { name: 'test', config: readConfig(settings), clock, log, metrics: NO_METRICS };
  const services = openEverything(own, { kms: loadKms, stripe: load });
  return { services, clock, logged, setClock: (now) => clock.move((Date.parse(now) - Date.now()) * 1000) };
}

/** Serves all routes with these services in this process, so that a test can hold their calls. */
export async function serveInProcess(
  services: InProcess['services'],
  stack: Addresses,
): Promise<Addresses & AsyncDisposable> {
  const routes = GROUPS.flatMap((group) => bind(routesOf<InProcess['services']>(group, services.config), services));
  const dialects = [...new Set(routes.map(({ description }) => description.dialect))];
  const server = createServer(makeListener(services, makeRouter(routes), dialects));
  return {
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    controlUrl: stack.controlUrl,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Serves all routes like {@link serveInProcess}, but waits an hour for each body, because a busy machine is slow. */
export async function servePatiently(...started: Parameters<typeof serveInProcess>): ReturnType<typeof serveInProcess> {
  const { body } = DEADLINES_MS;
  Object.assign(DEADLINES_MS, { body: HOUR_MS });
  const server = await serveInProcess(...started);
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      Object.assign(DEADLINES_MS, { body });
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Reads a key from the store. */
export async function loadKey({ store }: Pick<InProcess['services'], 'store'>, id: string): Promise<Key> {
  const key = await store.find(KEYS, id);
  if (key === undefined) throw new Error('there is no such key');
  return key;
}
