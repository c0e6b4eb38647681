import { setTimeout as pause } from 'node:timers/promises';
import { type Job, openHooks } from '../../emulators/base/service-hooks.ts';
import { type Proxies, startProxies, stopProxies } from '../../emulators/stack/faults.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { allConfigured } from '../../emulators/stack/service-environment.ts';
import { type CallFault, startGrpcProxy } from '../reliability/failing-proxy.ts';
import { type Addresses, control } from '../support/client.ts';
import { startSecondService } from '../support/second-service.ts';
import { setClock } from '../support/steer.ts';

const COMMIT = /\/Commit$/;
/** How long to wait for a commit. A request may need none, or may first wait for a lock that another one has. */
const PATIENCE_MS = 500;

/** Holds the commits of a process while it is closed. */
class Gate {
  #passage = Promise.withResolvers<void>();
  #held = Promise.withResolvers<void>();

  constructor() {
    this.open();
  }

  /** Tells a proxy in front of Firestore what to do with a call. */
  readonly decide = async (path: string): Promise<CallFault> => {
    if (COMMIT.test(path)) {
      this.#held.resolve();
      await this.#passage.promise;
    }
    return {};
  };

  close(): void {
    this.#passage = Promise.withResolvers();
    this.#held = Promise.withResolvers();
  }

  /** Lets the held commits and all later ones pass. */
  open(): void {
    this.#passage.resolve();
  }

  /** Resolves when a commit is held, or when the request is answered without one. */
  async holds(answered: Promise<unknown>): Promise<void> {
    await Promise.race([this.#held.promise, answered, pause(PATIENCE_MS)]);
  }
}

/** A process of the service, with the controls of the local stack. */
export interface Process extends Addresses {
  /** Runs a scheduled function and returns its summary. */
  run(what: Job): Promise<unknown>;
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
  const service = await startSecondService(stack, allConfigured(stack, proxies));
  const ask = openHooks(service.child);
  const settings = { ...allConfigured(stack), FIRESTORE_EMULATOR_HOST: gated.address };
  const gatedService = await startSecondService(stack, settings);
  const secondProcess: Process = {
    ...{ baseUrl: service.baseUrl, controlUrl: stack.controlUrl },
    run: (what) => ask({ run: what }),
    async setClock(now) {
      await ask({ clock_offset_us: now === null ? 0 : (Date.parse(now) - Date.now()) * 1000 });
    },
  };
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

function setDelay({ firestore, kms, stripe }: Proxies, delayMs: number): void {
  for (const proxy of [firestore, kms, stripe]) proxy.set(delayMs === 0 ? null : { delay_ms: delayMs });
}
