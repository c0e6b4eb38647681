import type { KeyId, TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import {
  type AuditEvent,
  EVENTS_BY_BOTH,
  EVENTS_BY_OPERATION,
  EVENTS_BY_RESULT,
  EVENTS_OF_KEY,
  EVENTS_OF_TENANT,
} from './event.ts';
import type { TenantWindow, Window } from './window.ts';

/** The events of a key in the window, newest first. */
export function readEventsOfKey(env: Env, keyId: KeyId, window: Window): Promise<AuditEvent[]> {
  return env.store.select(EVENTS_OF_KEY, { equal: [keyId], ...window });
}

/** The events of a tenant in the window, newest first, creations that failed included. */
export function readEventsOfTenant(env: Env, tenantId: TenantId, window: TenantWindow): Promise<AuditEvent[]> {
  const { operation, result } = window;
  if (operation !== undefined && result !== undefined) {
    return env.store.select(EVENTS_BY_BOTH, { equal: [tenantId, operation, result], ...window });
  }
  if (operation !== undefined)
    return env.store.select(EVENTS_BY_OPERATION, { equal: [tenantId, operation], ...window });
  if (result !== undefined) return env.store.select(EVENTS_BY_RESULT, { equal: [tenantId, result], ...window });
  return env.store.select(EVENTS_OF_TENANT, { equal: [tenantId], ...window });
}
