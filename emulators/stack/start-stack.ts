import { close } from '../base/listen.ts';
import { PROJECT_ID } from '../base/repository.ts';
import type { Hook } from '../base/service-hooks.ts';
import { Autosave, Exports } from '../firestore/exports.ts';
import { provideFirestore } from '../firestore/provide.ts';
import { AuditRowsFault } from './audit-rows-fault.ts';
import { makeClock } from './clock.ts';
import { controlRoutes } from './control-routes.ts';
import { startControl } from './control-server.ts';
import { openDataDir } from './data-dir.ts';
import { simulateDemoMonth } from './demo-month.ts';
import { startDeployedService } from './deployed-service.ts';
import { type Faults, NO_FAULTS, startProxies, stopProxies, targetOf } from './faults.ts';
import { startParts } from './parts.ts';
import { consoleOriginOf, portsFrom, portsToHold, refusePortsInUse } from './ports.ts';
import { Schedules } from './schedules.ts';
import { DEMO_SUBJECT, type Demo, seedClosed, seedDemo } from './seed.ts';
import { startService } from './service.ts';
import { localOnly, serviceEnvironment } from './service-environment.ts';
import type { Flavour, Overview, Stack, StackOptions } from './stack.ts';
import { openUsageWriter } from './usage.ts';

/**
 * The code for a service that serves all routes from one process. It supports every message that the stack sends to the
 * service.
 */
const ROUTER_SOURCE = 'functions/local/router.ts';

/**
 * Starts a stack. Throws {@link StartError} for a problem that the user can fix. After an error, no part keeps running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  await using starting = new AsyncDisposableStack();
  const stack = await startInto(starting, options);
  const running = starting.move();
  let stopped: Promise<void> | undefined;
  return {
    ...stack,
    stop() {
      stopped ??= running.disposeAsync();
      return stopped;
    },
  };
}

async function startInto(cleanup: AsyncDisposableStack, options: StackOptions): Promise<Omit<Stack, 'stop'>> {
  // The stack's own clients read these variables too.
  Object.assign(process.env, localOnly(process.env));
  const { port, deployed = false, log = () => undefined } = options;
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const flavour: Flavour = { ...options, billing: options.billing && options.console };
  const ports = portsFrom(port);
  const existingFirestore = process.env.FIRESTORE_EMULATOR_HOST || undefined;
  const firestore = existingFirestore ?? `127.0.0.1:${ports.firestore}`;
  const firestoreTarget = targetOf(firestore);
  await refusePortsInUse(portsToHold(ports, { ...flavour, ownFirestore: existingFirestore === undefined, deployed }));
  const jar = await provideFirestore(process.env);

  const dataDir =
    options.dir === undefined ? undefined : openDataDir(options.dir, { fresh: options.fresh ?? false }, report);
  cleanup.defer(() => dataDir?.unlock());
  const file = (name: string): string | undefined => dataDir?.path(name);
  const exportsFolder = existingFirestore === undefined ? file('firestore') : undefined;
  const exports = exportsFolder === undefined ? undefined : new Exports(exportsFolder, firestore, PROJECT_ID);
  const clock = makeClock();
  let rateLimitMs: number | null = null;
  const faults: Faults = { ...NO_FAULTS };

  // Disposal runs in reverse order: first the control API and the service, then the last export, then the proxies, and
  // at the end the parts.
  const parts = cleanup.use(new AsyncDisposableStack());
  const proxies = await startProxies(ports, firestore);
  cleanup.defer(() => stopProxies(proxies));
  const auditRows = new AuditRowsFault(proxies.firestore, firestoreTarget);
  cleanup.defer(() => auditRows.stop());
  const saving = cleanup.use(new AsyncDisposableStack());
  const serviceCleanup = cleanup.use(new AsyncDisposableStack());

  const env = serviceEnvironment({ inherited: process.env, flavour, ports, proxies });
  const running = {
    env,
    // A closed service answers only `/health`.
    readyUrl: `http://127.0.0.1:${port}${flavour.closed ? '/health' : '/health/ready'}`,
    logFile: file('service.log'),
    state: (): readonly Hook[] => [
      { clock_offset_us: clock.offsetMicros() },
      ...(rateLimitMs === null ? [] : [{ rate_limit_ms: rateLimitMs }]),
    ],
    report,
  };
  const ownFirestore = jar === undefined ? undefined : { jar, seed: exports?.seed };
  const partsUp = startParts({ ports, flavour, ownFirestore, file, now: clock.now, cleanup: parts, log, report });
  // The dependencies must be ready before the service starts, because a deployed function caches its readiness.
  const serviceUp = deployed
    ? partsUp.then(() =>
        startDeployedService({ ...running, forgets: false, ports, now: clock.now, closed: flavour.closed ?? false }),
      )
    : startService({ ...running, forgets: true, target: 'router', source: ROUTER_SOURCE, port });
  await Promise.allSettled([partsUp, serviceUp.then((service) => serviceCleanup.defer(service.stop))]);
  const [{ identity, stripe, workloads }, service] = await Promise.all([partsUp, serviceUp]);
  await service.whenReady();
  log(`${'service'.padEnd(18)} 127.0.0.1:${port}`);

  const baseUrl = `http://127.0.0.1:${port}`;
  const setClock = async (micros: number | null): Promise<void> => {
    clock.set(micros);
    await service.tell({ clock_offset_us: clock.offsetMicros() });
    // Advance Stripe last. Its webhooks call the service, whose clock must already be set.
    await stripe?.advance();
  };
  const holdRateLimit = async (ms: number | null): Promise<void> => {
    rateLimitMs = ms;
    await service.tell({ rate_limit_ms: ms });
  };
  const make =
    options.demoMonth && identity !== undefined
      ? () => simulateDemoMonth({ baseUrl, now: clock.now, setClock, run: service.run, mint: identity.mint, stripe })
      : undefined;
  const seeding = { baseUrl, env, file: file('demo.json'), stripe, make, log };
  const demo = flavour.closed ? await seedClosed(seeding) : await seedDemo(seeding);
  if (exports !== undefined) {
    // Only saving fails. The autosave tries again, and the last save at the end reports a failure.
    await exports.save().catch((error: unknown) => report(`Firestore's data is not saved: ${error}`));
    const autosave = new Autosave(() => exports.save(), proxies.firestore.sentBytes);
    saving.defer(() => autosave.stop());
  }
  const usage = openUsageWriter(firestore, clock.now);
  saving.defer(usage.close);
  const overview = viewStack(baseUrl, flavour.console ? consoleOriginOf(ports) : null, workloads.issuer, demo);
  const schedules = options.schedules && !flavour.closed ? new Schedules(service.run, report) : undefined;
  serviceCleanup.defer(async () => schedules?.stop());
  const routes = controlRoutes({
    overview,
    clock,
    setClock,
    holdRateLimit: deployed ? undefined : holdRateLimit,
    faults,
    proxies,
    auditRows,
    service,
    schedules,
    usage,
    identity,
    stripe,
    workloads,
  });
  const control = await startControl(ports.control, routes);
  serviceCleanup.defer(() => close(control));
  return { overview, controlUrl: `http://127.0.0.1:${ports.control}`, crashService: service.crash };
}

function viewStack(base_url: string, console_url: string | null, workload_issuer: string, demo: Demo): Overview {
  const { tenant_id, container_id, api_key, api_key_id, key_id } = demo;
  const subject = console_url === null ? null : DEMO_SUBJECT;
  return {
    base_url,
    console_url,
    workload_issuer,
    demo: { tenant_id, container_id, api_key, api_key_id, key_id, subject },
  };
}
