import type { ApiKeyId, ContainerId, FirewallId, KeyId, TenantId, UserId } from '../base/ids.ts';
import type { Action } from '../operations.ts';
import type { Role } from './role.ts';

/** A workload that presented an ID token instead of an API key's token. */
export interface Workload {
  readonly issuer: string;
  /** The first 1,024 characters of `sub`, or `null` if the token has no text there. */
  readonly subject: string | null;
}

export interface ApiKeyCaller {
  readonly kind: 'api_key';
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly apiKeyId: ApiKeyId;
  readonly name: string;
  readonly allowedActions: readonly Action[];
  /** `null` means all keys of the container. */
  readonly keyIds: readonly KeyId[] | null;
  readonly firewallId: FirewallId | null;
  /** When the credential stops working: the sooner of the API key's and the ID token's expiry. */
  readonly expiresAt: string | null;
  /** `null` if the caller presented the API key's token. */
  readonly workload: Workload | null;
}

/** A person according to an access token. `subjectId` is a hash of its issuer and subject. */
export interface Person {
  readonly subjectId: string;
  readonly email: string | null;
  readonly name: string | null;
}

/** A signed-in member of a tenant. */
export interface SessionCaller {
  readonly kind: 'session';
  readonly tenantId: TenantId;
  readonly userId: UserId;
  readonly role: Role;
  readonly person: Person;
}

/** A signed-in person without a tenant. */
export interface Newcomer {
  readonly kind: 'newcomer';
  readonly person: Person;
}

export type Caller = ApiKeyCaller | SessionCaller;
export type Identity = Caller | Newcomer;
