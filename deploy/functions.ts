import { billing } from '../functions/billing/routes.ts';
import { console } from '../functions/console/routes.ts';
import { crypto } from '../functions/crypto/routes.ts';
import { health } from '../functions/health/routes.ts';
import { keys } from '../functions/keys/routes.ts';
import type { Parts } from '../functions/needs.ts';
import { reports } from '../functions/reports/routes.ts';
import { JOBS } from '../functions/scheduled/jobs.ts';
import { transit } from '../functions/transit/routes.ts';
import type { Route } from '../shared/http/route.ts';
import { CLOSE_TIMEOUT_S, JOB_TIMEOUT_S } from '../shared/run-time.ts';

/** What a function may do. `GRANTS` has the roles of each right. */
export type Right =
  | 'write documents'
  | 'make keys'
  | 'use keys'
  | 'destroy keys'
  | 'sign logs'
  | 'read the signing key'
  | 'check readiness';

/** What a function gets because its routes or its job need a part of the service. */
interface Given {
  readonly rights?: readonly Right[];
  readonly secret?: StripeSecret;
  /** Whether the policy decision point (Cerbos) runs beside the function. */
  readonly decisionPoint?: true;
}

const GIVEN: Partial<Record<keyof Parts, Given>> = {
  store: { rights: ['write documents'] },
  policy: { decisionPoint: true },
  kmsOperations: { rights: ['use keys'] },
  keyChanges: { rights: ['make keys'] },
  kmsWrites: { rights: ['destroy keys'] },
  signer: { rights: ['sign logs', 'read the signing key'] },
  logKey: { rights: ['read the signing key'] },
  readiness: { rights: ['check readiness'], decisionPoint: true },
  payments: { secret: 'STRIPE_SECRET_KEY' },
  biller: { secret: 'STRIPE_SECRET_KEY' },
  webhooks: { secret: 'STRIPE_WEBHOOK_SECRET' },
};

interface FunctionSettings {
  readonly caller: 'gateway' | 'scheduler';
  /** The memory of the function's own container. The container has one vCPU. */
  readonly memoryMiB: number;
  /** The maximum number of concurrent requests per instance. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly instances: readonly [least: number, most: number];
  /** Whether the policy decision point (Cerbos) runs beside the function. */
  readonly decisionPoint: boolean;
  readonly rights: readonly Right[];
  /** The number of changes per minute that one instance may make in the KMS. */
  readonly kmsWritesPerMinute?: number;
  /** The number of `encrypt` and `decrypt` calls per second that one instance may make to the KMS. */
  readonly kmsOperationsPerSecond?: number;
  readonly secrets: readonly StripeSecret[];
}

export const SECRETS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
type StripeSecret = (typeof SECRETS)[number];
export type SecretVariable = StripeSecret | 'BALANCER_SECRET';

const routes = { caller: 'gateway', memoryMiB: 1024, concurrency: 512, timeoutSeconds: 60 } as const;
const job = {
  caller: 'scheduler',
  memoryMiB: 1024,
  concurrency: 1,
  timeoutSeconds: JOB_TIMEOUT_S,
  instances: [0, 1],
} as const;

/** Returns what a function gets for these needs. */
function given(needs: readonly string[]): Pick<FunctionSettings, 'rights' | 'secrets' | 'decisionPoint'> {
  const all = Object.entries(GIVEN).flatMap(([part, one]) => (needs.includes(part) ? [one] : []));
  return {
    rights: [...new Set(all.flatMap(({ rights = [] }) => rights))],
    secrets: SECRETS.filter((name) => all.some(({ secret }) => secret === name)),
    decisionPoint: all.some(({ decisionPoint }) => decisionPoint),
  };
}

function serving(group: { readonly routes: readonly Route<never>[] }) {
  return { ...routes, ...given(group.routes.flatMap(({ needs }) => needs)) };
}

function running(name: keyof typeof JOBS) {
  return { ...job, ...given(JOBS[name].needs) };
}

/**
 * Concurrency: an instance gets at most 512 requests at a time, and accepts at most 384 of one tenant
 * (shared/auth/in-flight.ts). So no tenant can fill an instance with slow requests. Under normal load, the vCPU is busy
 * long before 512 requests, and the platform then adds instances.
 *
 * Memory: functions that check API keys have 1,024 MiB, because four runs of Argon2id take 19 MiB each. `close-month`
 * makes 16 statements at a time, which take up to 30 MiB each. `seal-audit` holds pages of 1,000 rows for 16 tenants,
 * and up to 100,000 marks of unsealed events.
 *
 * KMS quotas: a project may make 100 changes per minute. The four instances of `keys` may make 32 changes together, and
 * so may those of `transit`, so that one instance can create a few keys at once. `destroy-due-keys` may make 25,
 * because it can wait. The remaining 11 changes are for people and for the deployment. A project may make about 1,000
 * calls per second with software keys and 500 with HSM keys. All instances together may make 440 calls, because
 * possibly all keys are HSM keys. Raise these numbers when Google raises the quotas.
 */
const SETTINGS = {
  keys: {
    ...serving(keys),
    instances: [0, 4],
    kmsWritesPerMinute: 8,
    kmsOperationsPerSecond: 10,
  },
  crypto: {
    ...serving(crypto),
    instances: [0, 8],
    kmsOperationsPerSecond: 40,
  },
  reports: {
    ...serving(reports),
    instances: [0, 10],
  },
  console: { ...serving(console), instances: [0, 10] },
  billing: { ...serving(billing), instances: [0, 5] },
  transit: {
    ...serving(transit),
    instances: [0, 4],
    kmsWritesPerMinute: 8,
    kmsOperationsPerSecond: 20,
  },
  health: { ...serving(health), memoryMiB: 512, instances: [0, 2] },
  router: { ...serving({ routes: [] }), memoryMiB: 512, instances: [0, 5] },
  'destroy-due-keys': { ...running('destroy-due-keys'), memoryMiB: 512, kmsWritesPerMinute: 25 },
  'close-month': {
    ...running('close-month'),
    timeoutSeconds: CLOSE_TIMEOUT_S,
  },
  'seal-audit': running('seal-audit'),
} as const satisfies Record<string, FunctionSettings>;

export type FunctionName = keyof typeof SETTINGS;

export const FUNCTIONS: Readonly<Record<FunctionName, FunctionSettings>> = SETTINGS;

export const FUNCTION_NAMES = Object.keys(FUNCTIONS).filter(isFunctionName);

function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

export function functionsOf(caller: FunctionSettings['caller']): FunctionName[] {
  return FUNCTION_NAMES.filter((name) => FUNCTIONS[name].caller === caller);
}
