import type { Clock } from '../base/clock.ts';
import type { Id, KeyId, TenantId } from '../base/ids.ts';
import { ApiError, type ErrorCode, toApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Administration, Operation } from '../operations.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Caller } from '../tenancy/caller.ts';
import type { RecordChange } from '../tenancy/record-change.ts';
import { withinLimit } from './changes.ts';
import { type AuditEvent, appendEvent } from './event.ts';

export interface RequestOrigin<Admitted = Caller> {
  readonly requestId: string;
  readonly caller: Admitted;
}

/** Commits events, a tenant's in few commits at a time. Throws `internal_error` if one cannot be written. */
interface EventCommits {
  record(ended: { readonly event: AuditEvent }): Promise<void>;
}

/** The source of an event: a caller's request, or the service's own work on a tenant's key. */
export type Origin = RequestOrigin | { readonly requestId: null; readonly tenantId: TenantId };

/** Returns an event with the current time: an error if `errorCode` is set. `keyId` is `null` if no key was made. */
export function makeEvent(
  clock: Clock,
  origin: Origin,
  operation: Operation,
  keyId: KeyId | null,
  errorCode: ErrorCode | null = null,
): AuditEvent {
  return { ...describeOrigin(clock, origin, errorCode), operation, key_id: keyId, target_id: null, changes: null };
}

/** Returns an event about an object of the tenant. `targetId` is `null` if no object was created. */
function makeAdministrationEvent(
  clock: Clock,
  origin: Origin,
  operation: Administration,
  targetId: Id<string> | null,
  errorCode: ErrorCode | null = null,
): AuditEvent {
  return { ...describeOrigin(clock, origin, errorCode), operation, key_id: null, target_id: targetId, changes: null };
}

/** Returns a function that adds a successful change's audit row to the commit of the change. */
export function recordingChange(clock: Clock, origin: Origin, operation: Administration): RecordChange {
  return (writes, targetId, changes) => {
    const event = makeAdministrationEvent(clock, origin, operation, targetId);
    appendEvent(writes, { ...event, changes: changes ? withinLimit(changes) : null });
  };
}

function describeOrigin(clock: Clock, origin: Origin, errorCode: ErrorCode | null) {
  const caller = 'caller' in origin ? origin.caller : undefined;
  return {
    tenant_id: 'caller' in origin ? origin.caller.tenantId : origin.tenantId,
    ts: clock.now(),
    result: errorCode === null ? ('success' as const) : ('error' as const),
    error_code: errorCode,
    request_id: origin.requestId,
    api_key_id: caller?.kind === 'api_key' ? caller.apiKeyId : null,
    user_id: caller?.kind === 'session' ? caller.userId : null,
    workload: caller?.kind === 'api_key' ? caller.workload : null,
  };
}

/**
 * Counts a failed operation on a key, writes its audit row if the error is `recorded`, and throws the error. `key` is
 * `null` if no key was created. If the caller cannot reach the key, it is `undefined`, and no row is written.
 */
export async function failOnKey(
  { clock, commits, metrics }: { readonly clock: Clock; readonly commits: EventCommits; readonly metrics: Metrics },
  origin: RequestOrigin,
  operation: Operation,
  key: Promise<Key | null | undefined>,
  thrown: unknown,
): Promise<never> {
  const error = toApiError(thrown);
  // Count the attempt even if the key could not be read.
  metrics.attempted(operation, (await key.catch(() => undefined))?.tier, error.code);
  const found = error.recorded ? await key : undefined;
  if (found !== undefined) {
    await commits.record({ event: makeEvent(clock, origin, operation, found?.id ?? null, error.code) });
  }
  throw error;
}

/** Throws the error again. If it is `role_not_allowed` and `find` finds the object, first writes an audit row. */
export async function failChange<Admitted extends Caller>(
  { clock, commits }: { readonly clock: Clock; readonly commits: EventCommits },
  origin: RequestOrigin<Admitted>,
  operation: Administration,
  find: (caller: Admitted) => Promise<Id<string> | null>,
  thrown: unknown,
): Promise<never> {
  const error = toApiError(thrown);
  const targetId = error.code === 'role_not_allowed' ? await find(origin.caller).catch(ignoreNotFound) : undefined;
  if (targetId !== undefined) {
    await commits.record({ event: makeAdministrationEvent(clock, origin, operation, targetId, error.code) });
  }
  throw error;
}

function ignoreNotFound(thrown: unknown): undefined {
  if (!(thrown instanceof ApiError) || thrown.code !== 'not_found') throw thrown;
}
