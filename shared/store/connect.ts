import type { Firestore } from '@google-cloud/firestore';
import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';
import { FirestoreApi } from './firestore-api.ts';
import { PromptFirestore } from './prompt-firestore.ts';

/** Google's clients of a Firestore. */
export interface Connection {
  /** For queries and transactions. */
  readonly db: Firestore;
  /** For all else. */
  readonly api: FirestoreApi;
}

/** Which failures are retried, by what is called. Reads are retried after 0.1 s, not 2 s. */
function retrying(codes: Readonly<Record<string, readonly string[]>>) {
  const methods = Object.keys(codes).map((method) => [method, { retry_codes_name: method }]);
  const retry_codes = Object.fromEntries(Object.entries(codes).map(([method, names]) => [method, [...names]]));
  const interfaces = { 'google.firestore.v1.Firestore': { retry_codes, methods: Object.fromEntries(methods) } };
  return { gaxServerStreamingRetries: true, clientConfig: { interfaces } };
}

/** A query may have answered in part: the `Firestore` class itself resumes it. */
const CLASS_RETRIES = retrying({ RunQuery: [] });

/** As the class has it for a commit that is no transaction's: an aborted one was in the way of another. */
const API_RETRIES = retrying({
  BatchGetDocuments: ['CANCELLED', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNAVAILABLE'],
  Commit: ['RESOURCE_EXHAUSTED', 'ABORTED', 'UNAVAILABLE'],
});

/** What the emulator takes for a credential. */
const EMULATOR_HEADERS = { Authorization: 'Bearer owner' };

/** Connects at the first call. */
export function connect({
  project,
  firestoreEmulatorHost: host,
}: Pick<Config, 'project' | 'firestoreEmulatorHost'>): Connection {
  const channel = makeChannelOptions(DEADLINES_MS.firestore);
  const headers = host === undefined ? {} : EMULATOR_HEADERS;
  return {
    db: new PromptFirestore({
      projectId: project,
      ...CLASS_RETRIES,
      ...channel,
      ...(host && { host, ssl: false, customHeaders: headers }),
    }),
    api: new FirestoreApi(project, { ...API_RETRIES, ...channel, ...emulatorSettings(host) }, headers),
  };
}
