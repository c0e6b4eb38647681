import { type Proxies, startProxies, stopProxies } from '../../emulators/stack/faults.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { type Service, startService } from '../../emulators/stack/service.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { type Addresses, control } from '../support/client.ts';
import { setClock } from '../support/steer.ts';

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

/** Two processes of the service on the same store, KMS and payment provider. */
export interface ProcessPair {
  readonly stackProcess: Process;
  /** A process with separate fault proxies and no rate limit. Tests use it to prepare rounds and to read results. */
  readonly secondProcess: Process;
  /** Does `work` while each request of the second process to Firestore, the KMS and Stripe is delayed by `delayMs`. */
  withDelay<T>(delayMs: number, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a second process beside the process of a stack. */
export async function startProcessPair(stack: Addresses): Promise<ProcessPair> {
  const ports = portsOf(stack);
  const proxies = await startProxies(ports, process.env.FIRESTORE_EMULATOR_HOST || `127.0.0.1:${ports.firestore}`);
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
  return {
    stackProcess: {
      ...{ baseUrl: stack.baseUrl, controlUrl: stack.controlUrl },
      run: async (what) => (await control(stack, 'POST', `/scheduled/${what}`)).body,
      setClock: (now) => setClock(stack, now),
    },
    secondProcess: asProcess({ baseUrl: `http://127.0.0.1:${port}`, controlUrl: stack.controlUrl }, service),
    withDelay: async (delayMs, work) => {
      setDelay(proxies, delayMs);
      try {
        return await work();
      } finally {
        setDelay(proxies, 0);
      }
    },
    stop: async () => {
      await service.stop();
      await stopProxies(proxies);
    },
  };
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
