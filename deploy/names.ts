import type { Deployment } from './deployment.ts';
import { FUNCTION_NAMES, type FunctionName, type SecretVariable } from './functions.ts';

/** The names of everything that has a separate service account. */
export type Actor = FunctionName | 'gateway' | 'scheduler' | 'builder';
export const ACTORS: readonly Actor[] = [...FUNCTION_NAMES, 'gateway', 'scheduler', 'builder'];

/** The key ring for the CryptoKeys of tenants. */
export const TENANTS_RING = 'encryption-tenants';
/**
 * The key ring for the wrapped root. It is a separate ring, so that a role on the tenants' ring grants no access to the
 * root.
 */
export const ROOT_RING = 'encryption-root';
export const WRAPPED_ROOT = 'wrapped-root';
/** The key in `ROOT_RING` that signs the audit logs. */
export const AUDIT_SIGNING = 'audit-signing';
/** The image repository that `gcloud run deploy --source` uses by default. */
export const IMAGES = 'cloud-run-source-deploy';
export const DATABASE = '(default)';
export const GATEWAY = 'encryption';
/** The name of the load balancer's parts, and of its secret. */
export const BALANCER = 'encryption-api';
export const BALANCER_SECRET_NAME = 'balancer-secret';
/** The secret with the API key of the canary, the tenant with which the smoke test tests the service. */
export const SMOKE_KEY = 'smoke-api-key';
/** The file in a function's directory that Node loads first. */
export const PRELOAD = 'preload.cjs';

export function serviceName(name: FunctionName): string {
  return `encryption-${name}`;
}

/** Returns the ID of a service account. Google limits it to 30 characters. */
export function accountId(actor: Actor): string {
  return `encryption-${actor}`;
}

export function accountEmail({ project }: Deployment, actor: Actor): string {
  return `${accountId(actor)}@${project}.iam.gserviceaccount.com`;
}

export function keyRingName({ project, region }: Deployment, ring: string): string {
  return `projects/${project}/locations/${region}/keyRings/${ring}`;
}

/**
 * Returns a function's URL. Cloud Run's URLs are deterministic, so the URL is known before the deployment. It is also
 * the audience of the ID tokens of callers.
 */
export function functionAddress({ projectNumber, region }: Deployment, name: FunctionName): string {
  return `https://${serviceName(name)}-${projectNumber}.${region}.run.app`;
}

/** Returns the name of a secret in Secret Manager, such as `stripe-secret-key`. */
export function secretName(variable: SecretVariable): string {
  return variable.toLowerCase().replaceAll('_', '-');
}
