import { basename } from 'node:path';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { type SeparateStack, startSeparateStack } from '../../emulators/stack/separate.ts';
import { prefetch } from '../../shared/base/prefetch.ts';
import { call } from '../load.ts';
import { type MeasuredKey, TIERS } from '../pair.ts';
import { environment, pathOf, type Server, sparePort, startBaseline, startServer, startService } from '../servers.ts';
import { makeTenant } from '../tenant.ts';

export type MeasuredTier = MeasuredKey['tier'];

const TENANTS = 64;
/** The number of the first spare port that other checkouts use. A stack has 11 spare ports. */
const FIRST_OTHER_CHECKOUT = 5;
/**
 * The number of API keys that are created at once. It is small because hashing a new secret keeps one core busy for a
 * while.
 */
const MADE_AT_ONCE = 4;

/**
 * The servers to measure, behind a proxy that adds the cloud's latencies. `tokens` has an API key for each of 64 tenants.
 * Each tenant has an encryption key for each tier, with the name of the tier.
 */
export interface CloudServers {
  readonly service: Server;
  /** The services of other checkouts, by the name of the checkout's folder. */
  readonly otherCheckouts: Readonly<Record<string, Server>>;
  readonly direct: Readonly<Record<MeasuredTier, Server>>;
  readonly proxy: Server;
  readonly tokens: readonly string[];
  stop(): Promise<void>;
}

/** Starts the servers. `checkouts` are the folders of other checkouts, whose services also start. */
export async function startCloudServers(checkouts: readonly string[]): Promise<CloudServers> {
  await using cleanup = new AsyncDisposableStack();
  const stack = await startSeparateStack();
  cleanup.defer(stack.stop);
  const making = prefetch(makeTenants(stack));
  const ports = portsOf(stack);
  const links = [
    { port: sparePort(stack, 1), to: `127.0.0.1:${ports.firestore}` },
    { port: sparePort(stack, 2), to: `127.0.0.1:${ports.kms}` },
  ];
  const proxy = await startProxy({ links, delays: true });
  cleanup.defer(proxy.stop);
  const [firestore, kms] = links.map(({ port }) => `127.0.0.1:${port}`);
  const env: NodeJS.ProcessEnv = { ...environment(stack), FIRESTORE_EMULATOR_HOST: firestore, KMS_EMULATOR_HOST: kms };
  const keep = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    cleanup.defer(server.stop);
    return server;
  };
  const service = await keep(startService(env, sparePort(stack, 0)));
  const direct = {
    wrapped: await keep(startBaseline({ ...env, DIRECT: 'on' }, sparePort(stack, 3))),
    software: await keep(startBaseline({ ...env, DIRECT: 'on', KEY_VERSION: env.WRAPPED_ROOT }, sparePort(stack, 4))),
  };
  const otherCheckouts: Record<string, Server> = {};
  for (const [n, checkout] of checkouts.entries()) {
    otherCheckouts[basename(checkout)] = await keep(
      startService(env, sparePort(stack, FIRST_OTHER_CHECKOUT + n), [], checkout),
    );
  }
  const tokens = await making;
  const all = cleanup.move();
  return { service, otherCheckouts, direct, proxy, tokens, stop: () => all.disposeAsync() };
}

/** Starts the proxy. Each of its `links` forwards a port to an address. */
export function startProxy(options: {
  readonly links: readonly { readonly port: number; readonly to: string }[];
  readonly delays: boolean;
}): Promise<Server> {
  return startServer([pathOf('cloud/proxy.ts'), JSON.stringify(options)], process.env);
}

async function makeTenants(stack: SeparateStack): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < TENANTS) {
    const made = await Promise.all(Array.from({ length: MADE_AT_ONCE }, () => makeTenant(stack)));
    for (const { apiKey: token } of made) {
      for (const tier of TIERS) {
        await call(stack.baseUrl, { method: 'POST', path: '/v1/keys', token, body: { name: tier, tier } }, z.unknown());
      }
      tokens.push(token);
    }
  }
  return tokens;
}
