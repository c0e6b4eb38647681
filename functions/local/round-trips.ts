import { subscribe } from 'node:diagnostics_channel';
import { z } from 'zod';

/** The kind of round trip for each counted Firestore method. */
const FIRESTORE = {
  BatchGetDocuments: 'read',
  RunQuery: 'query',
  Commit: 'commit',
  BeginTransaction: 'transaction',
} as const;

/** The kinds of round trips that are counted. */
type RoundTrip = (typeof FIRESTORE)[keyof typeof FIRESTORE] | 'decision' | 'kms';

const http2Stream = z.object({ headers: z.object({ ':path': z.string() }) });
const httpRequest = z.object({ request: z.object({ path: z.string() }) });

/** Counts the round trips of this process from now on, for measurements only. */
export function countRoundTrips(): Readonly<Record<RoundTrip, number>> {
  const counts: Record<RoundTrip, number> = { read: 0, query: 0, commit: 0, transaction: 0, decision: 0, kms: 0 };
  subscribe('http2.client.stream.created', (message) => {
    const [, service = '', method = ''] = http2Stream.parse(message).headers[':path'].split('/');
    const trip = service.startsWith('google.cloud.kms') ? 'kms' : firestoreTrip(method);
    if (trip !== undefined) counts[trip]++;
  });
  subscribe('http.client.request.start', (message) => {
    if (httpRequest.parse(message).request.path === '/api/check/resources') counts.decision++;
  });
  return counts;
}

function firestoreTrip(method: string): RoundTrip | undefined {
  return method in FIRESTORE ? FIRESTORE[method as keyof typeof FIRESTORE] : undefined;
}
