import type { AuditEvent } from '../../../../client/src/index.ts';
import { readAdministration } from '../../service/administration.ts';
import { service } from '../../session/session.ts';
import { ALL_ADMINISTRATION, readFilters } from './filters.ts';

/** Reads the events that the filters in an address select, newest first. Reads `limit` events per request. */
export function readEvents(query: URLSearchParams, limit: number): AsyncGenerator<AuditEvent, void> {
  const filters = { ...readFilters(query), limit };
  return query.get('operation') === ALL_ADMINISTRATION ? readAdministration(filters) : service().readAudit(filters);
}
