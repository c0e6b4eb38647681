import { z } from 'zod';
import { ADMINISTRATION } from '../../shared/operations.ts';
import { eventObject, read } from './objects.ts';
import type { Client } from './tenant.ts';

export type AuditEvent = z.output<typeof eventObject>;

/** Returns the events of a key, newest first, at most a thousand. */
export async function eventsOfKey(client: Client, keyId: string): Promise<AuditEvent[]> {
  return read(z.array(eventObject), await client.send('GET', `/v1/keys/${keyId}/audit?limit=1000`));
}

/** Returns the events of the session's tenant, newest first, at most a thousand. */
export async function eventsOfTenant(session: Client): Promise<AuditEvent[]> {
  return read(z.array(eventObject), await session.send('GET', '/v1/audit?limit=1000'));
}

/** Returns the events about keys, newest first, among the last thousand events of the session's tenant. */
export async function keyEventsOfTenant(session: Client): Promise<AuditEvent[]> {
  const administration: readonly string[] = ADMINISTRATION;
  const events = await eventsOfTenant(session);
  return events.filter(({ operation, target_id }) => target_id === null && !administration.includes(operation));
}

/**
 * Returns each event's operation and error code, oldest first, such as `delete_key` or `encrypt key_pending_deletion`.
 */
export function inWords(events: readonly AuditEvent[]): string[] {
  return events.map(({ operation, error_code }) => [operation, error_code ?? []].flat().join(' ')).reverse();
}
