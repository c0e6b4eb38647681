import { ApiError } from '../errors.ts';
import type { ApiKeyCaller, Caller, Identity, Newcomer, SessionCaller } from '../tenancy/caller.ts';

/** The callers that a route admits. `admit` throws `no_tenant`, `session_required` or `api_key_required`. */
export interface Admission<Admitted> {
  readonly credential: 'either' | 'api_key' | 'console' | 'person';
  admit(identity: Identity): Admitted;
}

/** Admits an API key or a member of a tenant. */
export const EITHER: Admission<Caller> = { credential: 'either', admit: refuseNewcomer };

/** Admits only API keys. */
export const API_KEY: Admission<ApiKeyCaller> = {
  credential: 'api_key',
  admit(identity) {
    const caller = refuseNewcomer(identity);
    if (caller.kind === 'api_key') return caller;
    throw new ApiError('api_key_required', 'this route requires an api key');
  },
};

/** Admits only members of a tenant, who send an access token. */
export const CONSOLE: Admission<SessionCaller> = {
  credential: 'console',
  admit(identity) {
    const caller = refuseNewcomer(identity);
    if (caller.kind === 'session') return caller;
    throw sessionRequired();
  },
};

/** Admits every signed-in person, with a tenant or without. */
export const PERSON: Admission<SessionCaller | Newcomer> = {
  credential: 'person',
  admit(identity) {
    if (identity.kind !== 'api_key') return identity;
    throw sessionRequired();
  },
};

function refuseNewcomer(identity: Identity): Caller {
  if (identity.kind !== 'newcomer') return identity;
  throw new ApiError('no_tenant', 'the signed-in user does not belong to a tenant');
}

function sessionRequired(): ApiError {
  return new ApiError('session_required', 'this route requires a console session');
}
