import type Stripe from 'stripe';
import { vi } from 'vitest';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { openBase } from '../../functions/compose/base.ts';
import { openKeyed } from '../../functions/compose/keyed.ts';
import { type MovableClock, makeMovableClock } from '../../functions/local/movable-clock.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { FairQueue } from '../../shared/base/fair-queue.ts';
import { makeLog } from '../../shared/base/log.ts';
import { makeBiller } from '../../shared/billing/biller.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { Payments } from '../../shared/billing/payments.ts';
import { Subscriptions } from '../../shared/billing/subscriptions.ts';
import { readConfig, readStripeSecret } from '../../shared/config.ts';
import { KmsWrites } from '../../shared/kms/kms-writes.ts';
import { KeyChanges } from '../../shared/lifecycle/key-changes.ts';
import { GroupCommit } from '../../shared/metering/group-commit.ts';
import { Meters } from '../../shared/metering/meter.ts';
import { NO_METRICS } from '../../shared/telemetry/metrics.ts';
import { CREATIONS } from '../../shared/tenancy/places.ts';
import type { Addresses } from './client.ts';
import { serviceSettings } from './second-service.ts';

const line = z.record(z.string(), z.unknown());

/** Settings that stand beside the stack's, or in their place; `undefined` takes one away. */
type Settings = Readonly<Record<string, string | undefined>>;

/** The service's own parts in the test's process, at a stack's store and emulators. */
export interface InProcess {
  /** All that any function needs. */
  readonly needs: ReturnType<typeof openNeeds>;
  readonly clock: MovableClock;
  /** What was logged so far. */
  readonly logged: Record<string, unknown>[];
  /** Sets the clock of this process alone, which then runs on. */
  setClock(now: string): void;
}

/** The settings of a process that has billing and a console. */
export function allConfigured(stack: Addresses): Settings {
  const { firestore, kms, policy, stripe, identity } = portsOf(stack);
  const at = (port: number) => ({ port });
  return serviceEnvironment({
    inherited: {},
    flavour: { billing: true, console: true, wrappedRoot: true, transit: true },
    ports: portsOf(stack),
    proxies: { firestore: at(firestore), kms: at(kms), pdp: at(policy), stripe: at(stripe), idp: at(identity) },
  });
}

/** Makes them; the environment is the calling test file's until its end. `load` makes another client of the payment provider. */
export function openInProcess(stack: Addresses, more: Settings = {}, load?: () => Promise<Stripe>): InProcess {
  const settings = { ...serviceSettings(stack), ...more };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const logged: Record<string, unknown>[] = [];
  const clock = makeMovableClock(makeClock());
  const log = makeLog((text) => logged.push(line.parse(JSON.parse(text))));
  const own = { name: 'test', config: readConfig(settings), clock, log, metrics: NO_METRICS };
  const setClock = (now: string) => clock.move((Date.parse(now) - Date.now()) * 1000);
  return { needs: openNeeds(own, settings, load), clock, logged, setClock };
}

function openNeeds(own: Parameters<typeof openBase>[0], settings: Settings, load?: () => Promise<Stripe>) {
  const keyed = openKeyed(openBase(own));
  const { store, log, clock, metrics, standing, config } = keyed;
  const { kmsWritesPerMinute, billing = { priceId: '', returnUrl: '', emulatorHost: undefined } } = config;
  const secretKey = config.billing === undefined ? '' : readStripeSecret(settings, 'STRIPE_SECRET_KEY');
  const payments = new Payments(billing, load ?? (() => loadStripe(secretKey, billing.emulatorHost)));
  const subscriptions = new Subscriptions(store, payments, log);
  return {
    ...keyed,
    payments,
    subscriptions,
    biller: makeBiller({ store, log, payments, subscriptions }),
    meters: new Meters(store, clock, standing),
    commits: new GroupCommit(store, metrics),
    creations: new FairQueue(CREATIONS),
    keyChanges: new KeyChanges(),
    kmsWrites: new KmsWrites(kmsWritesPerMinute),
    freeKeysAtMost: config.billing === undefined ? Number.POSITIVE_INFINITY : 1,
  };
}
