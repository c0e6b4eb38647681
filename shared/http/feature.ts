import type { ErrorCode } from '../errors.ts';

export type Feature = 'identity' | 'billing' | 'sealing' | 'transit';

export type Configured = Readonly<Record<Feature, unknown>>;

/** Error codes that are possible only where a feature is configured. */
const ONLY_WITH: Partial<Record<ErrorCode, Feature>> = {
  no_tenant: 'identity',
  session_required: 'identity',
  role_not_allowed: 'identity',
  api_key_required: 'identity',
  billing_required: 'billing',
  free_key_exists: 'billing',
};

/** Returns the codes that are possible with the configured features. */
export function refusalsWith(codes: readonly ErrorCode[], configured: Configured): ErrorCode[] {
  return codes.filter((code) => {
    const feature = ONLY_WITH[code];
    return feature === undefined || Boolean(configured[feature]);
  });
}
