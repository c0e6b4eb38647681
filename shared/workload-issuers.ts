import { z } from 'zod';
import { isOnThisMachine } from './base/loopback.ts';

const MAX_LIFETIME_S = 86_400;

/** The claims that no federation may have: the service checks them itself, or they differ in each token. */
export const RESERVED_CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];
export const CLAIM_NAME_LENGTH = 128;

const claimName = z
  .string()
  .refine((name) => name !== '' && [...name].length <= CLAIM_NAME_LENGTH, 'must have 1 to 128 characters')
  .refine((name) => !RESERVED_CLAIMS.includes(name), 'must not be a claim that the service checks itself');

const workloadIssuers = z.array(
  z.strictObject({
    issuer: z.url(),
    claims: z.array(claimName).min(1),
    max_lifetime: z.int().min(1).max(MAX_LIFETIME_S).default(MAX_LIFETIME_S),
  }),
);

/** An issuer of ID tokens that workloads can present. */
export interface WorkloadIssuer {
  readonly issuer: string;
  /** Each federation with this issuer must have at least one of these claims. */
  readonly claims: readonly string[];
  readonly maxLifetimeS: number;
}

/** Parses `WORKLOAD_ISSUERS`. Throws an `Error` that says what is wrong, without the value. */
export function readWorkloadIssuers(text: string, isLocal: boolean): WorkloadIssuer[] {
  const parsed = workloadIssuers.safeParse(parseJson(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`WORKLOAD_ISSUERS: ${['', ...(issue?.path ?? [])].join('.')} ${issue?.message}`);
  }
  const issuers = parsed.data.map(({ issuer, claims, max_lifetime: maxLifetimeS }) => ({
    issuer,
    claims,
    maxLifetimeS,
  }));
  for (const { issuer } of issuers) refuseUnsafe(issuer, isLocal);
  if (new Set(issuers.map(({ issuer }) => issuer)).size < issuers.length)
    throw new Error('WORKLOAD_ISSUERS: an issuer is listed twice');
  return issuers;
}

/** Whether the service may fetch from this URL: HTTPS, or plain HTTP on this machine beside emulators. */
export function isFetchable(address: string, isLocal: boolean): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (isLocal && url.protocol === 'http:' && isOnThisMachine(url));
}

function refuseUnsafe(issuer: string, isLocal: boolean): void {
  const isPlain = isFetchable(issuer, isLocal) && !/[?#]/.test(issuer);
  if (!isPlain) throw new Error('WORKLOAD_ISSUERS: an issuer must be an https URL without query and fragment');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('WORKLOAD_ISSUERS: must be JSON');
  }
}
