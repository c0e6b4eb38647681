import { type Proxies, startProxies, stopProxies } from '../../emulators/stack/faults.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { type Service, startService } from '../../emulators/stack/service.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { type Addresses, control } from '../support/client.ts';
import { setClock } from '../support/steer.ts';

/** A port of the stack's block that nothing else listens on, also while the process is started again. */
const OWN_PORT = 4;

/** The functions that a scheduler calls. */
type Scheduled = 'destroy-due-keys' | 'close-month' | 'seal-audit';

/** A process of the service, with what only the local stack can ask of it. */
export interface Process extends Addresses {
  /** Runs a scheduled function; its summary. */
  run(what: Scheduled): Promise<unknown>;
  /** Sets its clock, which then runs on; `null` is real time again. */
  setClock(now: string | null): Promise<void>;
}

/** Two processes of the service on the same store, KMS and payment provider. */
export interface Field {
  readonly here: Process;
  /** Has its own fault proxies, and no rate limit: set-up and read-back use it. */
  readonly there: Process;
  /** Does `work` while whatever the second process sends to the others arrives that much later. */
  slowly<T>(delayMs: number, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts a second process beside a stack's own. */
export async function openField(stack: Addresses): Promise<Field> {
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
    here: {
      ...{ baseUrl: stack.baseUrl, controlUrl: stack.controlUrl },
      run: async (what) => (await control(stack, 'POST', `/scheduled/${what}`)).body,
      setClock: (now) => setClock(stack, now),
    },
    there: asProcess({ baseUrl: `http://127.0.0.1:${port}`, controlUrl: stack.controlUrl }, service),
    slowly: async (delayMs, work) => {
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
