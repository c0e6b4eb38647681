import { type Child, openProcessLog, type ProcessLog } from '../base/child-process.ts';
import { type FirestoreOptions, startFirestore } from '../firestore/server.ts';
import { startHosting } from '../hosting/server.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity/server.ts';
import { startWorkloadIssuer, type WorkloadIssuer } from '../identity/workload-issuer.ts';
import { startKms } from '../kms/server.ts';
import { startPolicyDecisionPoint } from '../policy/server.ts';
import { type StripeEmulator, startStripe } from '../stripe/server.ts';
import { consoleOriginOf, type Ports } from './ports.ts';
import { CONSOLE_AUDIENCE, PRICE_ID, STRIPE_SECRETS } from './service-environment.ts';
import type { Flavour } from './stack.ts';
import { createKmsResources } from './wrapped-root.ts';

const GRACE_MS = 5_000;

/** The dependencies that the control API uses. `undefined` if a dependency is not configured. */
export interface Parts {
  readonly identity: IdentityProvider | undefined;
  readonly stripe: StripeEmulator | undefined;
  readonly workloads: WorkloadIssuer;
}

interface PartsOptions {
  readonly ports: Ports;
  readonly flavour: Flavour;
  /**
   * The settings of the stack's own Firestore emulator. `undefined` if another Firestore emulator is already running.
   */
  readonly ownFirestore: Pick<FirestoreOptions, 'jar' | 'seed'> | undefined;
  /** Returns the path of the file for a part's state. Returns `undefined` if the stack keeps no state. */
  readonly file: (name: string) => string | undefined;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly cleanup: AsyncDisposableStack;
  /** Receives one line for each started part. */
  readonly log: (line: string) => void;
  /** Receives one line for each part that ended unexpectedly. */
  readonly report: (line: string) => void;
}

/**
 * Starts the dependencies in parallel. Throws if a dependency fails to start. Disposing `cleanup` then stops the other
 * dependencies.
 */
export async function startParts(options: PartsOptions): Promise<Parts> {
  const { ports, flavour, file, now, cleanup, log } = options;
  const started = (name: string, port: number): void => log(`${name.padEnd(18)} 127.0.0.1:${port}`);

  const keep = (child: Child, processLog: ProcessLog): void => {
    let stopping = false;
    cleanup.defer(async () => {
      stopping = true;
      await child.stop(GRACE_MS);
      processLog.close();
    });
    child.ended.then((how) => {
      if (!stopping) options.report(`${child.name} exited (${how}); restart the stack`);
    });
  };
  const firestore = async (): Promise<void> => {
    if (options.ownFirestore === undefined) return;
    const processLog = openProcessLog(file('firestore.log'));
    keep(await startFirestore({ ...options.ownFirestore, port: ports.firestore, log: processLog }), processLog);
    started('Firestore', ports.firestore);
  };
  const policy = async (): Promise<void> => {
    const processLog = openProcessLog(file('cerbos.log'));
    const addresses = { httpPort: ports.policy, grpcPort: ports.policyGrpc };
    keep(await startPolicyDecisionPoint({ ...addresses, log: processLog }), processLog);
    started('policy decisions', ports.policy);
  };
  const keepRunning = async <Part extends { stop(): Promise<void> }>(starting: Promise<Part>): Promise<Part> => {
    const running = await starting;
    cleanup.defer(() => running.stop());
    return running;
  };
  const kms = async (): Promise<void> => {
    await keepRunning(startKms({ port: ports.kms, file: file('kms.json'), now }));
    await createKmsResources(ports.kms);
    started('KMS', ports.kms);
  };
  const identity = async (): Promise<IdentityProvider | undefined> => {
    if (!flavour.console) return undefined;
    const own = { port: ports.identity, file: file('identity-key.json'), now };
    const consoleOrigin = consoleOriginOf(ports);
    const running = await keepRunning(startIdentityProvider({ ...own, audience: CONSOLE_AUDIENCE, consoleOrigin }));
    started('identity provider', ports.identity);
    return running;
  };
  const workloads = async (): Promise<WorkloadIssuer> => {
    const own = { port: ports.workloads, file: file('workload-key.json'), now };
    const running = await keepRunning(startWorkloadIssuer(own));
    started('workload issuer', ports.workloads);
    return running;
  };
  const stripe = async (): Promise<StripeEmulator | undefined> => {
    if (!flavour.billing) return undefined;
    const own = { port: ports.stripe, file: file('stripe.json'), now };
    const webhookUrl = `http://127.0.0.1:${ports.service}/v1/webhooks/stripe`;
    const running = await keepRunning(startStripe({ ...own, ...STRIPE_SECRETS, priceId: PRICE_ID, webhookUrl }));
    started('Stripe', ports.stripe);
    return running;
  };
  const hosting = async (): Promise<void> => {
    if (!flavour.console) return;
    const api = `http://127.0.0.1:${ports.service}`;
    const issuer = `http://127.0.0.1:${ports.identity}`;
    await keepRunning(startHosting({ port: ports.console, api, issuer }));
    started('console', ports.console);
  };

  const starting = [identity(), stripe(), workloads(), firestore(), policy(), kms(), hosting()] as const;
  await Promise.allSettled(starting);
  const [identityProvider, runningStripe, workloadIssuer] = await Promise.all(starting);
  return { identity: identityProvider, stripe: runningStripe, workloads: workloadIssuer };
}
