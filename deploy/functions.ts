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

export interface FunctionSettings {
  readonly caller: 'gateway' | 'scheduler';
  /** The memory of the function's own container. The container has one vCPU. */
  readonly memoryMiB: number;
  /** The maximum number of concurrent requests per instance. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly instances: readonly [least: number, most: number];
  /**
   * Whether the policy decision point (Cerbos) runs beside the function. It is needed by routes that check an action or
   * a role, and by the readiness check.
   */
  readonly decisionPoint: boolean;
  readonly rights: readonly Right[];
  /** The number of changes per minute that one instance may make in the KMS. */
  readonly kmsWritesPerMinute?: number;
  /** The number of `encrypt` and `decrypt` calls per second that one instance may make to the KMS. */
  readonly kmsOperationsPerSecond?: number;
  readonly secrets: readonly StripeSecret[];
}

export const SECRETS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
export type StripeSecret = (typeof SECRETS)[number];
export type SecretVariable = StripeSecret | 'BALANCER_SECRET';

const routes = { caller: 'gateway', memoryMiB: 1024, concurrency: 512, timeoutSeconds: 60, secrets: [] } as const;
const job = {
  caller: 'scheduler',
  memoryMiB: 1024,
  concurrency: 1,
  timeoutSeconds: JOB_TIMEOUT_S,
  instances: [0, 1],
  decisionPoint: false,
  secrets: [],
} as const;

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
    ...routes,
    instances: [0, 4],
    decisionPoint: true,
    rights: ['write documents', 'make keys'],
    kmsWritesPerMinute: 8,
    kmsOperationsPerSecond: 10,
  },
  crypto: {
    ...routes,
    instances: [0, 8],
    decisionPoint: true,
    rights: ['write documents', 'use keys'],
    kmsOperationsPerSecond: 40,
  },
  reports: {
    ...routes,
    instances: [0, 10],
    decisionPoint: false,
    rights: ['write documents', 'read the signing key'],
  },
  console: { ...routes, instances: [0, 10], decisionPoint: true, rights: ['write documents'] },
  billing: { ...routes, instances: [0, 5], decisionPoint: true, rights: ['write documents'], secrets: SECRETS },
  transit: {
    ...routes,
    instances: [0, 4],
    decisionPoint: true,
    rights: ['write documents', 'make keys', 'use keys'],
    kmsWritesPerMinute: 8,
    kmsOperationsPerSecond: 20,
  },
  health: { ...routes, memoryMiB: 512, instances: [0, 2], decisionPoint: true, rights: ['check readiness'] },
  router: { ...routes, memoryMiB: 512, instances: [0, 5], decisionPoint: false, rights: [] },
  'destroy-due-keys': { ...job, memoryMiB: 512, rights: ['write documents', 'destroy keys'], kmsWritesPerMinute: 25 },
  'close-month': {
    ...job,
    timeoutSeconds: CLOSE_TIMEOUT_S,
    rights: ['write documents'],
    secrets: ['STRIPE_SECRET_KEY'],
  },
  'seal-audit': { ...job, rights: ['write documents', 'sign logs', 'read the signing key'] },
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
