import type { ApiKeyId, ContainerId, KeyId, TenantId, UserId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Action } from '../tenancy/actions.ts';

/** An API key that has proved itself. */
export interface ApiKeyCaller {
  readonly kind: 'api_key';
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly apiKeyId: ApiKeyId;
  readonly allowedActions: readonly Action[];
  /** The keys that it is held to, or `null` for all of its container. */
  readonly keyIds: readonly KeyId[] | null;
}

/** A person whom the identity provider vouches for, as the access token describes them. */
export interface Person {
  readonly subjectId: string;
  readonly email: string | null;
  readonly name: string | null;
}

/** A signed-in user of a tenant. */
export interface SessionCaller {
  readonly kind: 'session';
  readonly tenantId: TenantId;
  readonly userId: UserId;
  readonly person: Person;
}

/** A signed-in person who belongs to no tenant yet. */
export interface Newcomer {
  readonly kind: 'newcomer';
  readonly person: Person;
}

/** Whoever acts for a tenant. */
export type Caller = ApiKeyCaller | SessionCaller;
/** Whoever a credential resolves to. */
export type Identity = Caller | Newcomer;

/** Which identities a route admits. `admit` throws `no_tenant`, `session_required` or `api_key_required` for the others. */
export interface Admission<Admitted> {
  readonly credential: 'either' | 'api_key' | 'console' | 'person';
  admit(identity: Identity): Admitted;
}

export const EITHER: Admission<Caller> = { credential: 'either', admit: refuseNewcomer };

export const API_KEY: Admission<ApiKeyCaller> = {
  credential: 'api_key',
  admit(identity) {
    const caller = refuseNewcomer(identity);
    if (caller.kind === 'api_key') return caller;
    throw new ApiError('api_key_required', 'this route takes an api key');
  },
};

export const CONSOLE: Admission<SessionCaller> = {
  credential: 'console',
  admit(identity) {
    const caller = refuseNewcomer(identity);
    if (caller.kind === 'session') return caller;
    throw sessionRequired();
  },
};

/** The one admission for people who have no tenant yet. */
export const PERSON: Admission<SessionCaller | Newcomer> = {
  credential: 'person',
  admit(identity) {
    if (identity.kind !== 'api_key') return identity;
    throw sessionRequired();
  },
};

function refuseNewcomer(identity: Identity): Caller {
  if (identity.kind !== 'newcomer') return identity;
  throw new ApiError('no_tenant', 'the signed-in user belongs to no tenant');
}

function sessionRequired(): ApiError {
  return new ApiError('session_required', 'this route takes a console session');
}
