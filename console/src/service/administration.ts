import { ADMINISTRATION } from '../../../client/src/api/generated.ts';
import type { AuditEvent, Query } from '../../../client/src/index.ts';
import { service } from '../session/session.ts';

/**
 * Reads the audit events of all changes except those to keys, newest first. The API can filter only by a single
 * operation, so this function reads one stream per operation and merges the streams.
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
 * Returns the time of a stream's next event as text. This text has microseconds and sorts by time. For a stream that
 * has ended, it returns the empty text, which sorts before every time.
 */
const timeOf = ({ event }: { readonly event: AuditEvent | undefined }): string => event?.ts.toJSON() ?? '';
