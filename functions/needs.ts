import type { Biller } from '../shared/billing/biller.ts';
import type { Payments } from '../shared/billing/payments.ts';
import type { Subscriptions } from '../shared/billing/subscriptions.ts';
import type { Webhooks } from '../shared/billing/webhooks.ts';
import type { Frame } from '../shared/http/frame.ts';
import type { MeteredServices } from '../shared/http/operate.ts';
import { Routes } from '../shared/http/pipeline.ts';
import type { Readiness } from '../shared/http/readiness.ts';
import type { KeyServices } from '../shared/lifecycle/key-services.ts';
import type { LogKey, Signer } from '../shared/sealing/log-key.ts';

/** Everything that a route or a job can need. `functions/compose` makes it. */
export interface Parts extends Frame, MeteredServices, KeyServices {
  readonly payments: Payments;
  readonly subscriptions: Subscriptions;
  readonly webhooks: Webhooks;
  readonly biller: Biller;
  /** Signs audit logs. `undefined` if they are not sealed. */
  readonly signer: Signer | undefined;
  /** The public key of audit logs. `undefined` if they are not sealed. */
  readonly logKey: LogKey | undefined;
  readonly readiness: Pick<Readiness, 'probe'>;
  /** Returns the OpenAPI document of the deployment's routes as JSON. */
  readonly openApi: () => Promise<string>;
}

/**
 * Defines routes whose handlers use these parts. What the handlers get, what their function makes when it starts, and
 * the rights of its service account follow from these names.
 */
export function needs<Name extends keyof Parts = never>(...names: readonly Name[]): Routes<Pick<Parts, Name>> {
  return new Routes(names);
}

/** What routes need that create, rotate or destroy keys. */
export const TO_CHANGE_KEYS = [
  'store',
  'clock',
  'log',
  'kms',
  'kmsWrites',
  'settle',
  'dataKeys',
  'keyChanges',
  'creations',
  'freeKeysAtMost',
] as const;

/** Work that Cloud Scheduler starts. */
export interface Job<Needed> {
  readonly needs: readonly string[];
  readonly run: (parts: Needed) => Promise<unknown>;
}

/** Returns a job that uses these parts. */
export function job<Name extends keyof Parts>(
  needs: readonly Name[],
  run: (parts: Pick<Parts, Name>) => Promise<unknown>,
): Job<Pick<Parts, Name>> {
  return { needs, run };
}
