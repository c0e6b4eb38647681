import { startFirestore } from '../firestore/server.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity/server.ts';
import { startKms } from '../kms/server.ts';
import { startPolicyDecisionPoint } from '../policy/server.ts';
import { startStripe } from '../stripe/server.ts';
import type { Child } from './child-process.ts';
import type { Ports } from './ports.ts';
import { openProcessLog, type ProcessLog } from './process-log.ts';
import { audience, consoleOrigin, type Flavour, priceId, stripeSecrets } from './service-environment.ts';
import { createKmsResources } from './wrapped-root.ts';

const graceMs = 5_000;

/** A running Stripe emulator. */
export type Stripe = Awaited<ReturnType<typeof startStripe>>;

/** The parts behind the service that control calls talk to; undefined where not configured. */
export type Parts = { readonly identity: IdentityProvider | undefined; readonly stripe: Stripe | undefined };

/**
 * Starts the parts behind the service side by side. Each one that has started is in `cleanup`, also when another one
 * fails, in which case this throws. `file` is where a part keeps a file of the given name, if it keeps any.
 */
export async function startParts(options: {
  ports: Ports;
  flavour: Flavour;
  /** Undefined where a Firestore emulator runs already; `jar` is its program, `seed` the export to begin with. */
  ownFirestore: { jar: string; seed: string | undefined } | undefined;
  file: (name: string) => string | undefined;
  now: () => number;
  cleanup: AsyncDisposableStack;
  log: (line: string) => void;
  report: (line: string) => void;
}): Promise<Parts> {
  const { ports, flavour, file, now, cleanup, log } = options;
  const started = (name: string, port: number): void => log(`${name.padEnd(18)} 127.0.0.1:${port}`);

  const keep = (child: Child, processLog: ProcessLog): void => {
    let stopping = false;
    cleanup.defer(async () => {
      stopping = true;
      await child.stop(graceMs);
      processLog.close();
    });
    child.ended.then((how) => {
      if (!stopping) options.report(`${child.name} ended (${how}); stop and start the stack again`);
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
  const kms = async (): Promise<void> => {
    const running = await startKms({ port: ports.kms, file: file('kms.json'), now });
    cleanup.defer(() => running.stop());
    await createKmsResources(ports.kms);
    started('KMS', ports.kms);
  };
  const identity = async (): Promise<IdentityProvider | undefined> => {
    if (!flavour.console) return undefined;
    const keyFile = file('identity-key.json');
    const running = await startIdentityProvider({ port: ports.identity, file: keyFile, audience, consoleOrigin, now });
    cleanup.defer(() => running.stop());
    started('identity provider', ports.identity);
    return running;
  };
  const stripe = async (): Promise<Stripe | undefined> => {
    if (!flavour.billing) return undefined;
    const webhookUrl = `http://127.0.0.1:${ports.service}/v1/webhooks/stripe`;
    const stateFile = file('stripe.json');
    const running = await startStripe({
      port: ports.stripe,
      now,
      webhookUrl,
      ...stripeSecrets,
      priceId,
      ...(stateFile !== undefined && { file: stateFile }),
    });
    cleanup.defer(() => running.stop());
    started('Stripe', ports.stripe);
    return running;
  };

  const starting = [identity(), stripe(), firestore(), policy(), kms()] as const;
  await Promise.allSettled(starting);
  const [identityProvider, runningStripe] = await Promise.all(starting);
  return { identity: identityProvider, stripe: runningStripe };
}
