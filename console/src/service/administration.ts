import { ADMINISTRATION } from '../../../client/src/api/generated.ts';
import type { AuditEvent, Query } from '../../../client/src/index.ts';
import { service } from '../session/session.ts';

/**
 * Reads the audit events of administration, newest first. The API filters by a single operation, so this function
 * merges one stream per operation.
 */
export async function* readAdministration(filters: Query<'read_audit'>): AsyncGenerator<AuditEvent, void> {
  const streams = ADMINISTRATION.map((operation) => service().readAudit({ ...filters, operation }));
  const heads = await Promise.all(streams.map(async (stream) => ({ stream, event: await nextOf(stream) })));
  for (;;) {
    const newest = heads.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
    if (newest.event === undefined) return;
    yield newest.event;
    newest.event = await nextOf(newest.stream);
  }
}

async function nextOf(stream: AsyncGenerator<AuditEvent, void>): Promise<AuditEvent | undefined> {
  const { value, done } = await stream.next();
  return done === true ? undefined : (value ?? undefined);
}

/**
 * The text of a timestamp has microseconds and sorts by time. An ended stream has the empty text, which sorts first.
 */
const timeOf = ({ event }: { readonly event: AuditEvent | undefined }): string => event?.ts.toJSON() ?? '';
