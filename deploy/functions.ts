import { CLOSE_TIMEOUT_S, JOB_TIMEOUT_S } from '../shared/run-time.ts';
import { GATEWAY_FUNCTIONS } from './gateway.ts';

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
  readonly secrets: readonly SecretVariable[];
}

export const FUNCTION_NAMES = [...GATEWAY_FUNCTIONS, 'destroy-due-keys', 'close-month', 'seal-audit'] as const;

export type FunctionName = (typeof FUNCTION_NAMES)[number];

export const SECRETS = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
export type SecretVariable = (typeof SECRETS)[number];

const routes = { caller: 'gateway', concurrency: 512, timeoutSeconds: 60, secrets: [] } as const;
const job = {
  caller: 'scheduler',
  concurrency: 1,
  timeoutSeconds: JOB_TIMEOUT_S,
  instances: [0, 1],
  secrets: [],
} as const;

/**
 * Concurrency: one tenant may have fewer than 512 requests in flight in a process (shared/auth/in-flight.ts). So no
 * tenant can fill an instance with slow requests. Under normal load, the vCPU is busy long before 512 requests, and the
 * platform then adds instances.
 *
 * Memory: functions that check API keys have 1,024 MiB, because four runs of Argon2id take 19 MiB each. `close-month`
 * makes 16 statements at a time, which take up to 30 MiB each. `seal-audit` holds pages of 1,000 rows for 16 tenants,
 * and up to 100,000 marks.
 *
 * Instances: `keys`, `crypto` and `transit` have few instances, because all their instances share the KMS quotas below.
 */
export const FUNCTIONS: Readonly<Record<FunctionName, FunctionSettings>> = {
  keys: { ...routes, memoryMiB: 1024, instances: [0, 4], decisionPoint: true },
  crypto: { ...routes, memoryMiB: 1024, instances: [0, 8], decisionPoint: true },
  reports: { ...routes, memoryMiB: 1024, instances: [0, 10], decisionPoint: false },
  console: { ...routes, memoryMiB: 1024, instances: [0, 10], decisionPoint: true },
  billing: {
    ...routes,
    memoryMiB: 1024,
    instances: [0, 5],
    decisionPoint: true,
    secrets: SECRETS,
  },
  transit: { ...routes, memoryMiB: 1024, instances: [0, 4], decisionPoint: true },
  health: { ...routes, memoryMiB: 512, instances: [0, 2], decisionPoint: true },
  router: { ...routes, memoryMiB: 512, instances: [0, 5], decisionPoint: false },
  'destroy-due-keys': { ...job, memoryMiB: 512, decisionPoint: false },
  'close-month': {
    ...job,
    memoryMiB: 1024,
    timeoutSeconds: CLOSE_TIMEOUT_S,
    decisionPoint: false,
    secrets: ['STRIPE_SECRET_KEY'],
  },
  'seal-audit': { ...job, memoryMiB: 1024, decisionPoint: false },
};

/**
 * The number of changes per minute that one instance may make in the KMS. The quota of a project is 100. The four
 * instances of `keys` may use 32 together, and so may the four instances of `transit`. So one instance can create a few
 * keys at once. `destroy-due-keys` gets 25, because it can wait. The remaining 11 are for people and for the
 * deployment. Raise these numbers when the quota is raised.
 */
export const KMS_WRITES_PER_MINUTE: Readonly<Partial<Record<FunctionName, number>>> = {
  keys: 8,
  transit: 8,
  'destroy-due-keys': 25,
};

/**
 * The number of operations per second that one instance may make in the KMS. The quota of a project is about 1,000 for
 * software keys and 500 for HSM keys. All instances together may use 440, because all keys may be HSM keys. Raise these
 * numbers when the quota is raised.
 */
export const KMS_OPERATIONS_PER_SECOND: Readonly<Partial<Record<FunctionName, number>>> = {
  keys: 10,
  crypto: 40,
  transit: 20,
};

export function functionsOf(caller: FunctionSettings['caller']): FunctionName[] {
  return FUNCTION_NAMES.filter((name) => FUNCTIONS[name].caller === caller);
}
