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

/** Retry failed reads after 0.1 s, not 2 s. Queries may have answered in part; the client resumes those. */
const RETRIES = {
  gaxServerStreamingRetries: true,
  clientConfig: {
    interfaces: {
      'google.firestore.v1.Firestore': {
        retry_codes: { none: [], transient: ['CANCELLED', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNAVAILABLE'] },
        methods: { RunQuery: { retry_codes_name: 'none' }, BatchGetDocuments: { retry_codes_name: 'transient' } },
      },
    },
  },
};

/** What the emulator takes for a credential. */
const EMULATOR_HEADERS = { Authorization: 'Bearer owner' };

/** Connects at the first call. */
export function connect({
  project,
  firestoreEmulatorHost: host,
}: Pick<Config, 'project' | 'firestoreEmulatorHost'>): Connection {
  const settings = { projectId: project, ...RETRIES, ...makeChannelOptions(DEADLINES_MS.firestore) };
  const headers = host === undefined ? {} : EMULATOR_HEADERS;
  return {
    db: new PromptFirestore({ ...settings, ...(host && { host, ssl: false, customHeaders: headers }) }),
    api: new FirestoreApi(project, { ...settings, ...emulatorSettings(host) }, headers),
  };
}
