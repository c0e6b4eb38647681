import type { Caller } from '../auth/caller.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { type ErrorCode, rowNotWritten } from '../errors.ts';
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

/** Writes the row of a failed operation. Throws `internal_error` when it cannot be written: no attempt goes unseen. */
export async function recordFailure(env: Env, event: AuditEvent): Promise<void> {
  try {
    await env.store.write((writes) => env.audit.append(writes, event));
  } catch (cause) {
    throw rowNotWritten(cause);
  }
}
