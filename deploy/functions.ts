import { CLOSE_TIMEOUT_S, JOB_TIMEOUT_S } from '../shared/run-time.ts';
import { GATEWAY_FUNCTIONS } from './gateway.ts';

/** The settings of a function. */
export interface FunctionSettings {
  /** The only one that may call it. */
  readonly caller: 'gateway' | 'scheduler';
  /** The memory of the function's own container, which has one vCPU. */
  readonly memoryMiB: number;
  /** The most requests that one instance takes at a time. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  /** The least and the most instances. */
  readonly instances: readonly [least: number, most: number];
  /** Whether the policy decision point runs beside it, which routes with an action or a role and the readiness check need. */
  readonly decisionPoint: boolean;
  /** The secrets of Stripe that it gets. */
  readonly secrets: readonly SecretVariable[];
}

/** Every function, by the name of its entry point. */
export const FUNCTION_NAMES = [...GATEWAY_FUNCTIONS, 'destroy-due-keys', 'close-month', 'seal-audit'] as const;

/** The name of a function. */
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** The variables of the service that hold a secret. */
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
 * The settings of every function.
 *
 * 512 requests in one instance: more than one tenant may have in flight in a process (shared/http/shares.ts), so that
 * no tenant fills an instance, however slowly it sends. A vCPU is busy long before: by that the platform adds
 * instances.
 *
 * 1,024 MiB where API keys are checked: what Argon2id takes, 19 MiB each for the four that run, comes beside the
 * requests; and where months are closed: 16 statements at a time take up to 30 MiB each. Few instances of `keys` and
 * `transit`: they share what the KMS may be told to change, see {@link KMS_WRITES_PER_MINUTE}; and of `crypto`: with these
 * they share the KMS's operations, see {@link KMS_OPERATIONS_PER_SECOND}. 1,024 MiB for `seal-audit`,
 * too: 16 tenants at a time with a page of 1,000 rows each, and the marks of a hundred thousand.
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
 * How often an instance may change something in the KMS in a minute. The project's quota is 100. The four instances of
 * `keys` and of `transit` share 32 each, so that each can make a few keys at once; `destroy-due-keys`, which can wait, has
 * 25; 11 are left for people and for this deployment. When the quota is raised, raise these with it.
 */
export const KMS_WRITES_PER_MINUTE: Readonly<Partial<Record<FunctionName, number>>> = {
  keys: 8,
  transit: 8,
  'destroy-due-keys': 25,
};

/**
 * How often an instance may encrypt or decrypt in the KMS in a second. The project's quota is about 1,000 for software
 * keys and 500 for HSM keys; the shares stay within the smaller one, as any of the keys may be an HSM's. `crypto` has few
 * instances so that each has a share that a tenant can work with. When the quota is raised, raise these with it.
 */
export const KMS_OPERATIONS_PER_SECOND: Readonly<Partial<Record<FunctionName, number>>> = {
  keys: 10,
  crypto: 40,
  transit: 20,
};

/** The functions that a caller calls. */
export function functionsOf(caller: FunctionSettings['caller']): FunctionName[] {
  return FUNCTION_NAMES.filter((name) => FUNCTIONS[name].caller === caller);
}
