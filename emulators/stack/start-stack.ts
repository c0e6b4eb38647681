import { startAutosave } from '../firestore/autosave.ts';
import { openExports } from '../firestore/exports.ts';
import { provideFirestore } from '../firestore/provide.ts';
import { makeClock } from './clock.ts';
import { controlRoutes } from './control-routes.ts';
import { startControl } from './control-server.ts';
import { openDataDir } from './data-dir.ts';
import { type Demo, demoSubject } from './demo.ts';
import { startDeployedService } from './deployed-service.ts';
import { type Faults, noFaults, startProxies, stopProxies } from './faults.ts';
import { startParts } from './parts.ts';
import { portsFrom, portsToHold, refusePortsInUse } from './ports.ts';
import { seedDemo } from './seed.ts';
import { startService } from './service.ts';
import { type Flavour, projectId, serviceEnvironment } from './service-environment.ts';
import type { Hook } from './service-hooks.ts';
import type { Overview, Stack, StackOptions } from './stack.ts';
import { openUsageWriter } from './usage.ts';

/** The function that knows every route, unless another source of it is asked for: a bundle. */
const routerSource = process.env.SERVICE_SOURCE || 'functions/entry/router.ts';

/** Starts every part. Throws {@link StartError} for what a person can put right; nothing is left running then. */
export async function startStack(options: StackOptions): Promise<Stack> {
  await using starting = new AsyncDisposableStack();
  const stack = await startInto(starting, options);
  const running = starting.move();
  let stopped: Promise<void> | undefined;
  return {
    ...stack,
    stop: () => {
      stopped ??= running.disposeAsync();
      return stopped;
    },
  };
}

async function startInto(cleanup: AsyncDisposableStack, options: StackOptions): Promise<Omit<Stack, 'stop'>> {
  // Google's clients would look for the metadata server of a machine of theirs.
  process.env.METADATA_SERVER_DETECTION ??= 'none';
  const { port, deployed = false, log = () => undefined } = options;
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const flavour: Flavour = { ...options, billing: options.billing && options.console };
  const ports = portsFrom(port);
  const elsewhere = process.env.FIRESTORE_EMULATOR_HOST || undefined;
  const firestore = elsewhere ?? `127.0.0.1:${ports.firestore}`;
  await refusePortsInUse(portsToHold(ports, { ...flavour, ownFirestore: elsewhere === undefined, deployed }));
  const jar = elsewhere === undefined ? await provideFirestore(process.env) : undefined;

  const dataDir = options.dir === undefined ? undefined : openDataDir(options.dir, { fresh: options.fresh ?? false });
  cleanup.defer(() => dataDir?.unlock());
  const file = (name: string): string | undefined => dataDir?.path(name);
  const exportsFolder = elsewhere === undefined ? file('firestore') : undefined;
  const exports = exportsFolder === undefined ? undefined : openExports(exportsFolder, firestore, projectId);
  const clock = makeClock();
  const faults: Faults = { ...noFaults };

  // What is put in later is ended earlier: control calls, the service, the store's export, and then the rest.
  const parts = cleanup.use(new AsyncDisposableStack());
  const proxies = await startProxies(ports, firestore);
  cleanup.defer(() => stopProxies(proxies));
  const saving = cleanup.use(new AsyncDisposableStack());
  const front = cleanup.use(new AsyncDisposableStack());

  const env = serviceEnvironment({ inherited: process.env, flavour, ports, proxies });
  const running = {
    env,
    readyUrl: `http://127.0.0.1:${port}/health/ready`,
    logFile: file('service.log'),
    state: (): readonly Hook[] => [{ clock_offset_us: clock.offsetMicros() }, { audit_rows: faults.audit_rows }],
    report,
  };
  const serviceUp = deployed
    ? startDeployedService({ ...running, ports })
    : startService({ ...running, target: 'router', source: routerSource, port });
  const ownFirestore = jar === undefined ? undefined : { jar, seed: exports?.seed() };
  const partsUp = startParts({ ports, flavour, ownFirestore, file, now: clock.now, cleanup: parts, log, report });
  await Promise.allSettled([partsUp, serviceUp.then((service) => front.defer(service.stop))]);
  const [{ identity, stripe }, service] = await Promise.all([partsUp, serviceUp]);
  await service.whenReady();
  log(`${'service'.padEnd(18)} 127.0.0.1:${port}`);

  const baseUrl = `http://127.0.0.1:${port}`;
  const demo = await seedDemo({ baseUrl, env, file: file('demo.json'), stripe });
  if (exports !== undefined) {
    await exports.save();
    saving.defer(startAutosave(exports.save, proxies.firestore.sentBytes).stop);
  }
  const usage = openUsageWriter(firestore);
  saving.defer(usage.close);
  const overview = viewStack(baseUrl, demo, flavour);
  const routes = controlRoutes({ overview, clock, faults, proxies, service, usage, identity, stripe });
  front.defer((await startControl(ports.control, routes)).stop);
  return { overview, controlUrl: `http://127.0.0.1:${ports.control}`, crashService: service.crash };
}

function viewStack(base_url: string, demo: Demo, flavour: Flavour): Overview {
  const { tenant_id, container_id, api_key, api_key_id, key_id } = demo;
  const subject = flavour.console ? demoSubject : null;
  return { base_url, demo: { tenant_id, container_id, api_key, api_key_id, key_id, subject } };
}
