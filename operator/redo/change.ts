import { type Origin, recordingChange } from '../../shared/audit/record.ts';
import type { TenantId } from '../../shared/base/ids.ts';
import type { DestructionServices } from '../../shared/lifecycle/key-services.ts';
import type { Administration } from '../../shared/operations.ts';
import type { RecordChange } from '../../shared/tenancy/record-change.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';

/** The kinds of changes, in the order of the report. */
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
  'key frozen',
  'key thawed',
  'key destroyed',
] as const;

export type Kind = (typeof KINDS)[number];

/** A function that makes the change, or the reason why the change is not made. */
export type ChangePlan = 'already so' | 'not in the store' | (() => Promise<unknown>);

export interface RedoServices extends DestructionServices {
  /** Whether to destroy keys again that were destroyed after the backup. If not, they become pending deletion. */
  readonly destroy: boolean;
  /** Tells the operator something that is not in the report. */
  readonly tell: (text: string) => void;
}

export type PlanChange = (services: RedoServices) => Promise<ChangePlan>;

/** A change that redo lines describe. A later change replaces an earlier one with the same `about`. */
export interface RedoChange {
  readonly kind: Kind;
  readonly about: string;
  readonly plan: PlanChange;
}

export type LineOf<Name extends RedoLine['message']> = Extract<RedoLine, { message: Name }>;

/** The operator makes the changes, so their audit rows have neither an API key nor a user. */
export function originIn(tenantId: TenantId): Origin {
  return { requestId: null, tenantId };
}

export function recording({ clock }: RedoServices, tenantId: TenantId, operation: Administration): RecordChange {
  return recordingChange(clock, originIn(tenantId), operation);
}
