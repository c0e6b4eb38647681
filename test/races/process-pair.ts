import { type Proxies, startProxies, stopProxies } from '../../emulators/stack/faults.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { type Service, startService } from '../../emulators/stack/service.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { startGrpcProxy } from '../reliability/failing-proxy.ts';
import { type Addresses, control } from '../support/client.ts';
import { allConfigured, startSecondService } from '../support/second-service.ts';
import { setClock } from '../support/steer.ts';
import { Gate } from './gate.ts';

/** The second process’s port, as an offset from the service’s port. No part of the stack uses that port. */
const OWN_PORT = 2;

/** The scheduled functions. */
type Scheduled = 'destroy-due-keys' | 'close-month' | 'seal-audit';

/** A process of the service, with the controls of the local stack. */
export interface Process extends Addresses {
  /** Runs a scheduled function and returns its summary. */
  run(what: Scheduled): Promise<unknown>;
  /** Sets the clock, which then runs on. `null` means real time. */
  setClock(now: string | null): Promise<void>;
}

/** A process whose commits can be held. */
export interface Gated {
  readonly at: Addresses;
  readonly gate: Gate;
}

/** Processes of the service on the same store, KMS and payment provider. */
export interface ProcessPair {
  readonly stackProcess: Process;
  /** A process with separate fault proxies and no rate limit. Tests use it to prepare rounds and to read results. */
  readonly secondProcess: Process;
  /** Two processes with gates. The second one is `secondProcess`. */
  readonly gated: readonly [Gated, Gated];
  /** Does `work` while each request of the second process to Firestore, the KMS and Stripe is delayed by `delayMs`. */
  withDelay<T>(delayMs: number, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a second process beside the process of a stack, and another one for {@link ProcessPair.gated}. */
export async function startProcessPair(stack: Addresses): Promise<ProcessPair> {
  const ports = portsOf(stack);
  const [gated, second] = [await startGate(ports.firestore), await startGate(ports.firestore)];
  const proxies = await startProxies(ports, second.address);
  const port = ports.service + OWN_PORT;
  const service = await startService({
    target: 'router',
    source: 'functions/local/router.ts',
    forgets: true,
    port,
    readyUrl: `http://127.0.0.1:${port}/health/ready`,
    env: serviceEnvironment({
      inherited: { ...process.env, RATE_LIMIT: 'off' },
      flavour: { billing: true, console: true, wrappedRoot: true, transit: true },
      ports,
      proxies,
    }),
    logFile: undefined,
    state: () => [],
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const settings = { ...allConfigured(stack), FIRESTORE_EMULATOR_HOST: gated.address };
  const gatedService = await startSecondService(stack, settings);
  const secondProcess = asProcess({ baseUrl: `http://127.0.0.1:${port}`, controlUrl: stack.controlUrl }, service);
  return {
    stackProcess: {
      ...{ baseUrl: stack.baseUrl, controlUrl: stack.controlUrl },
      run: async (what) => (await control(stack, 'POST', `/scheduled/${what}`)).body,
      setClock: (now) => setClock(stack, now),
    },
    secondProcess,
    gated: [
      { at: gatedService, gate: gated.gate },
      { at: secondProcess, gate: second.gate },
    ],
    withDelay: async (delayMs, work) => {
      setDelay(proxies, delayMs);
      try {
        return await work();
      } finally {
        setDelay(proxies, 0);
      }
    },
    stop: async () => {
      await Promise.all([service.stop(), gatedService.stop()]);
      await stopProxies(proxies);
      for (const { proxy } of [gated, second]) proxy.stop();
    },
  };
}

/** Starts a gate in front of the Firestore emulator. */
async function startGate(firestore: number) {
  const gate = new Gate();
  const proxy = await startGrpcProxy(firestore, gate.decide);
  return { gate, proxy, address: `127.0.0.1:${proxy.port}` };
}

function asProcess(addresses: Addresses, service: Service): Process {
  return {
    ...addresses,
    run: (what) => service.run(what),
    setClock: (now) => service.tell({ clock_offset_us: now === null ? 0 : (Date.parse(now) - Date.now()) * 1000 }),
  };
}

function setDelay({ firestore, kms, stripe }: Proxies, delayMs: number): void {
  for (const proxy of [firestore, kms, stripe]) proxy.set(delayMs === 0 ? null : { delay_ms: delayMs });
}
