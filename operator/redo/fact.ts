import { type Origin, recordingChange } from '../../shared/audit/record.ts';
import type { TenantId } from '../../shared/base/ids.ts';
import type { Administration } from '../../shared/operations.ts';
import type { DestructionServices } from '../../shared/services.ts';
import type { RecordChange } from '../../shared/tenancy/record-change.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';

/** The kinds of facts, in the order of the report. */
export const KINDS = [
  'API key revoked',
  'API key access restricted',
  'firewall tightened',
  'member removed',
  'role lowered',
  'member joined',
  'invitation ended',
  'key created',
  'key rotated',
  'key deletion requested',
  'key restored',
  'key destroyed',
] as const;

export type Kind = (typeof KINDS)[number];

/** What the store has of a fact; where it has something else, the change that makes it so. */
export type Finding = 'already so' | 'not in the store' | (() => Promise<unknown>);

export interface RedoServices extends DestructionServices {
  /** Whether keys that were destroyed since the backup are destroyed again, and not only made pending. */
  readonly destroy: boolean;
  /** Tells the operator something that the report's figures do not say. */
  readonly tell: (text: string) => void;
}

export type Find = (services: RedoServices) => Promise<Finding>;

/** What a redo line says about one thing. A later fact about the same thing replaces it: that of a key's life has all its lines. */
export interface Fact {
  readonly kind: Kind;
  readonly about: string;
  readonly find: Find;
}

/** The redo line of an event. */
export type LineOf<Name extends RedoLine['message']> = Extract<RedoLine, { message: Name }>;

/** Who makes the changes again: the operator, so their rows have neither an API key nor a user. */
export function originIn(tenantId: TenantId): Origin {
  return { requestId: null, tenantId };
}

export function recording({ clock }: RedoServices, tenantId: TenantId, operation: Administration): RecordChange {
  return recordingChange(clock, originIn(tenantId), operation);
}
