import type { ErrorCode } from '../errors.ts';

/** What a deployment may have configured. */
export type Feature = 'identity' | 'billing' | 'sealing' | 'transit';

/** What is configured, by feature: `undefined` or `false` where it is not. */
export type Configured = Readonly<Record<Feature, unknown>>;

/** What is refused only where the feature is configured. */
const ONLY_WITH: Partial<Record<ErrorCode, Feature>> = {
  no_tenant: 'identity',
  session_required: 'identity',
  role_not_allowed: 'identity',
  api_key_required: 'identity',
  billing_required: 'billing',
  free_key_exists: 'billing',
};

/** Those of the codes that a deployment can answer. */
export function refusalsWith(codes: readonly ErrorCode[], configured: Configured): ErrorCode[] {
  return codes.filter((code) => {
    const feature = ONLY_WITH[code];
    return feature === undefined || Boolean(configured[feature]);
  });
}
