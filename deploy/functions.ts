import { CLOSE_TIMEOUT_S } from '../shared/billing/run-time.ts';
import { JOB_TIMEOUT_S } from '../shared/job-time.ts';
import { GATEWAY_FUNCTIONS } from './gateway.ts';

/** What one function is given to run with. */
export interface FunctionSettings {
  /** Who may call it: the gateway for tenants, or the scheduler, and nobody else. */
  readonly caller: 'gateway' | 'scheduler';
  /** MiB of the function's own container, which has one vCPU. */
  readonly memoryMiB: number;
  /** Requests that one instance takes at a time. */
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  /** Instances kept while nothing happens, and at most. */
  readonly instances: readonly [least: number, most: number];
  /** Whether the policy decision point runs beside it: where a route needs an action, and where readiness asks for it. */
  readonly decisionPoint: boolean;
  /** The secrets of Stripe that it is given. */
  readonly secrets: readonly SecretVariable[];
}

/** Every function, by the name of its entry point. */
export const FUNCTION_NAMES = [...GATEWAY_FUNCTIONS, 'destroy-due-keys', 'close-month'] as const;

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
 * 512 requests in one instance: more than one tenant may have in flight in a process (shared/http/shares.ts), so that nobody
 * fills an instance alone, however slowly they send. A vCPU is busy long before: by that the platform adds instances.
 *
 * 1,024 MiB where API keys are checked: what Argon2id takes, 19 MiB each for the four that run, comes beside the requests;
 * and where months are closed: 16 statements at a time take up to 30 MiB each. Few instances of `keys`: they share what the
 * KMS may be told to change, see {@link KMS_WRITES_PER_MINUTE}.
 */
export const FUNCTIONS: Readonly<Record<FunctionName, FunctionSettings>> = {
  keys: { ...routes, memoryMiB: 1024, instances: [0, 5], decisionPoint: true },
  crypto: { ...routes, memoryMiB: 1024, instances: [0, 50], decisionPoint: true },
  reports: { ...routes, memoryMiB: 1024, instances: [0, 10], decisionPoint: false },
  console: { ...routes, memoryMiB: 1024, instances: [0, 10], decisionPoint: false },
  billing: {
    ...routes,
    memoryMiB: 1024,
    instances: [0, 5],
    decisionPoint: false,
    secrets: SECRETS,
  },
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
};

/**
 * How often an instance may change something in the KMS in a minute. The project's quota is 100. The five instances of
 * `keys` share 60, so that each can make a few keys at once; `destroy-due-keys`, which can wait, has 25; 15 are left for
 * people and for this deployment. Whoever raises the quota raises these with it.
 */
export const KMS_WRITES_PER_MINUTE: Readonly<Partial<Record<FunctionName, number>>> = {
  keys: 12,
  'destroy-due-keys': 25,
};

/** The functions that a caller calls. */
export function functionsOf(caller: FunctionSettings['caller']): FunctionName[] {
  return FUNCTION_NAMES.filter((name) => FUNCTIONS[name].caller === caller);
}
