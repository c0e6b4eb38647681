import type { Clock } from '../base/clock.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import { type ApiError, type ErrorCode, rowNotWritten, toApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Operation } from '../operations.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Caller } from '../tenancy/caller.ts';
import { type AuditEvent, appendEvent } from './event.ts';

/** A caller's request. */
export interface RequestOrigin<Admitted = Caller> {
  readonly requestId: string;
  readonly caller: Admitted;
}

/** Who is behind an event: a caller's request, or the service's own work on a tenant's key. */
export type Origin = RequestOrigin | { readonly requestId: null; readonly tenantId: TenantId };

/** What it takes to record how attempts end. */
export interface RecordNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The event of an operation on a key (`null`: none was made) at this moment, successful unless a code says how it failed. */
export function makeEvent(
  clock: Clock,
  origin: Origin,
  operation: Operation,
  keyId: KeyId | null,
  errorCode: ErrorCode | null = null,
): AuditEvent {
  const caller = 'caller' in origin ? origin.caller : undefined;
  return {
    tenant_id: 'caller' in origin ? origin.caller.tenantId : origin.tenantId,
    key_id: keyId,
    ts: clock.now(),
    operation,
    result: errorCode === null ? 'success' : 'error',
    error_code: errorCode,
    request_id: origin.requestId,
    api_key_id: caller?.kind === 'api_key' ? caller.apiKeyId : null,
    user_id: caller?.kind === 'session' ? caller.userId : null,
  };
}

/**
 * Runs an attempt at an operation on a live key within the caller's reach, `null` for one that does not exist yet, and
 * counts how it ends. When it fails, the failure is recorded.
 */
export async function recordingFailure<Answer>(
  needs: RecordNeeds,
  origin: RequestOrigin,
  operation: Operation,
  key: Key | null,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await attempt();
    needs.metrics.attempted(operation, key?.tier);
    return answer;
  } catch (thrown) {
    throw await recordedFailure(needs, origin, operation, key, thrown);
  }
}

/**
 * What to throw for a failed attempt, counted, and recorded unless the catalogue says otherwise for its code. `about` may
 * still be on its way; where it is no key, nothing is recorded.
 */
export async function recordedFailure(
  needs: RecordNeeds,
  origin: RequestOrigin,
  operation: Operation,
  about: Key | null | Promise<Key | undefined>,
  thrown: unknown,
): Promise<ApiError> {
  const { clock, metrics } = needs;
  const error = toApiError(thrown);
  const found = Promise.resolve(about);
  // A key that could not be read is perhaps what failed: the attempt counts all the same.
  metrics.attempted(operation, (await found.catch(() => undefined))?.tier, error.code);
  const key = error.recorded ? await found : undefined;
  if (key !== undefined) await writeRow(needs, makeEvent(clock, origin, operation, key?.id ?? null, error.code));
  return error;
}

/** Throws `internal_error` when the row cannot be written: no attempt goes unseen. */
async function writeRow({ store }: RecordNeeds, event: AuditEvent): Promise<void> {
  try {
    await store.write((writes) => appendEvent(writes, event));
  } catch (cause) {
    throw rowNotWritten(cause);
  }
}
