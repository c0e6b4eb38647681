import type { Caller } from '../auth/caller.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { type ErrorCode, rowNotWritten, toApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { AuditEvent, Operation } from './event.ts';

/** Who is behind an event: a caller's request, or the service's own work on a tenant's key. */
export type Origin =
  | { readonly requestId: string; readonly caller: Caller }
  | { readonly requestId: null; readonly tenantId: TenantId };

/** The event of an operation on a key (`null`: none was made), successful unless a code says how it failed. */
export function makeEvent(
  env: Env,
  origin: Origin,
  operation: Operation,
  keyId: KeyId | null,
  errorCode: ErrorCode | null = null,
): AuditEvent {
  const caller = 'caller' in origin ? origin.caller : undefined;
  return {
    tenant_id: 'caller' in origin ? origin.caller.tenantId : origin.tenantId,
    key_id: keyId,
    ts: env.clock.now(),
    operation,
    result: errorCode === null ? 'success' : 'error',
    error_code: errorCode,
    request_id: origin.requestId,
    api_key_id: caller?.kind === 'api_key' ? caller.apiKeyId : null,
    user_id: caller?.kind === 'session' ? caller.userId : null,
  };
}

/**
 * Runs what may be recorded, and counts how it ends: when it fails, the operation's failure is recorded, unless the
 * catalogue says otherwise for its code. `about` tells the live key within the caller's reach, `null` for a key that did
 * not come to be; without one, nothing is recorded.
 */
export async function recordingFailure<Answer>(
  env: Env,
  origin: Origin,
  operation: Operation | undefined,
  about: Promise<Key | null | undefined>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (operation === undefined) return work();
  try {
    const answer = await work();
    env.metrics.attempted(operation, (await about)?.tier);
    return answer;
  } catch (thrown) {
    const error = toApiError(thrown);
    // A key that could not be read is perhaps what failed: the attempt counts all the same.
    env.metrics.attempted(operation, (await about.catch(() => undefined))?.tier, error.code);
    const key = error.recorded ? await about : undefined;
    if (key !== undefined) {
      await recordFailure(env, makeEvent(env, origin, operation, key?.id ?? null, error.code));
    }
    throw error;
  }
}

/** Throws `internal_error` when the row cannot be written: no attempt goes unseen. */
async function recordFailure(env: Env, event: AuditEvent): Promise<void> {
  try {
    await env.store.write((writes) => env.audit.append(writes, event));
  } catch (cause) {
    throw rowNotWritten(cause);
  }
}
