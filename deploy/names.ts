import type { Deployment } from './deployment.ts';
import { FUNCTION_NAMES, type FunctionName, type SecretVariable } from './functions.ts';

/** Every service account: of each function, of the gateway and the scheduler that call them, and of their builds. */
export const ACTORS = [...FUNCTION_NAMES, 'gateway', 'scheduler', 'builder'] as const;
export type Actor = (typeof ACTORS)[number];

/** The key ring of the tenants' CryptoKeys. */
export const TENANTS_RING = 'encryption-tenants';
/** The key ring of the wrapped root, apart so that no role on the tenants' ring covers it. */
export const ROOT_RING = 'encryption-root';
export const WRAPPED_ROOT = 'wrapped-root';
/** The key that signs the audit logs, in the ring of the root. */
export const AUDIT_SIGNING = 'audit-signing';
/** The repository that `gcloud run deploy --source` uses by itself. */
export const IMAGES = 'cloud-run-source-deploy';
/** The one Firestore database that the service uses. */
export const DATABASE = '(default)';
export const GATEWAY = 'encryption';
/** What Node loads in a function's directory before anything else. */
export const PRELOAD = 'preload.cjs';

/** A function's name as a Cloud Run service. */
export function serviceName(name: FunctionName): string {
  return `encryption-${name}`;
}

/** The id of an actor's service account, at most 30 characters. */
export function accountId(actor: Actor): string {
  return `encryption-${actor}`;
}

/** The e-mail address of an actor's service account. */
export function accountEmail({ project }: Deployment, actor: Actor): string {
  return `${accountId(actor)}@${project}.iam.gserviceaccount.com`;
}

/** The resource name of a key ring. */
export function keyRingName({ project, region }: Deployment, ring: string): string {
  return `projects/${project}/locations/${region}/keyRings/${ring}`;
}

/**
 * Cloud Run's deterministic URL of a function, known before it is deployed; also the audience of its callers' ID
 * tokens.
 */
export function functionAddress({ projectNumber, region }: Deployment, name: FunctionName): string {
  return `https://${serviceName(name)}-${projectNumber}.${region}.run.app`;
}

/** The name of a secret in Secret Manager: the variable's, in lower case with hyphens. */
export function secretName(variable: SecretVariable): string {
  return variable.toLowerCase().replaceAll('_', '-');
}
