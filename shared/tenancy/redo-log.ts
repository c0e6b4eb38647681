import { z } from 'zod';
import { type Instant, isInstant, viewInstant } from '../base/clock.ts';
import {
  type ApiKeyId,
  type FirewallId,
  type Id,
  idSchema,
  type KeyId,
  type TenantId,
  type UserId,
} from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { parseInstant } from '../base/rfc3339.ts';
import type { EventName } from '../events.ts';
import { actionSchema } from '../operations.ts';
import { timeText } from '../store/far-time.ts';
import type { Writes } from '../store/writes.ts';
import { type Federation, type FederationView, federationOf, federationsField, viewFederation } from './federation.ts';
import { roleSchema } from './role.ts';
import type { InvitationId } from './team.ts';

const instantText = z.codec(z.string(), z.custom<Instant>(isInstant), {
  decode(text, { issues }) {
    const at = parseInstant(text);
    if (at === undefined) issues.push({ code: 'custom', input: text, message: 'not a time' });
    return at ?? z.NEVER;
  },
  encode: viewInstant,
});

/** Whether a value can be claims. A `z.record` would drop a claim with the name `__proto__`, which widens access. */
function isClaims(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Federations as the API shows them. */
const federationViews = z.codec(
  z.array(z.object({ issuer: z.string(), claims: z.custom<FederationView['claims']>(isClaims) })),
  federationsField,
  {
    decode: (views) => views.map(federationOf),
    encode: (federations: Federation[]) => federations.map(viewFederation),
  },
);

/** The schema of an event's log line. `target_id` is the changed object, `state` its fields after the change. */
function lines<const Name extends EventName, Target extends Id<string>, State extends z.ZodRawShape>(
  message: Name,
  target_id: z.ZodType<Target, Target>,
  state: State,
) {
  const tenant_id = idSchema<TenantId>();
  return z.object({ message: z.literal(message), tenant_id, target_id, commit_time: instantText, ...state });
}

const apiKey = idSchema<ApiKeyId>();
const firewall = idSchema<FirewallId>();
const member = idSchema<UserId>();
const invitation = idSchema<InvitationId>();
const key = idSchema<KeyId>();

/**
 * The redo log: log lines, outside the database, of changes that a restore from a backup must not undo. These are all
 * changes that lower a person's or an API key's rights, and all changes of a key's state. After a restore,
 * `operator/after-restore.ts` reads the lines and repeats the changes. Changes that widen rights are logged by
 * log-weakening.ts and are not repeated.
 */
export const redoLine = z.discriminatedUnion('message', [
  lines('API key revoked', apiKey, {}),
  lines('API key access restricted', apiKey, {
    allowed_actions: z.array(actionSchema),
    key_ids: z.array(key).nullable(),
    firewall_id: firewall.nullable(),
    /** Lines of releases before 1.1.0 lack the last two. */
    expires_at: timeText.nullable().optional(),
    federations: federationViews.optional(),
  }),
  lines('firewall tightened', firewall, { allowed_ips: z.array(z.string()) }),
  /** `invitation_ids` are the member's invitations, which were revoked in the same commit. */
  lines('member removed', member, { invitation_ids: z.array(invitation) }),
  lines('role lowered', member, { role: roleSchema, invitation_ids: z.array(invitation) }),
  lines('invitation used', invitation, { user_id: member, role: roleSchema }),
  lines('invitation revoked', invitation, {}),
  lines('key created', key, {}),
  lines('key rotated', key, { primary_version: z.int(), enabled_versions: z.array(z.int()) }),
  lines('key deletion requested', key, { delete_requested_at: instantText, destroy_after: instantText }),
  lines('key restored', key, {}),
  lines('key frozen', key, { frozen_at: instantText }),
  lines('key thawed', key, {}),
  lines('key destroyed', key, {}),
]);

export type RedoLine = z.output<typeof redoLine>;
export const REDO_EVENTS: readonly string[] = redoLine.options.map(({ shape }) => shape.message.value);

/** A line without the commit time, because its change is not committed yet. */
type Uncommitted<Line> = Line extends unknown ? Omit<Line, 'commit_time'> : never;

/** Logs a change after its commit. The line contains the commit time, which orders the lines of all processes. */
export function logRedo(writes: Writes, log: Log, change: Uncommitted<RedoLine>): void {
  writes.onApplied((commit_time) => {
    const { message, ...fields } = redoLine.encode({ ...change, commit_time });
    log.write(message, fields);
  });
}
