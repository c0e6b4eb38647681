import type { Firestore } from '@google-cloud/firestore';
import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';
import { DeadlineFirestore } from './deadline-firestore.ts';
import { FirestoreApi } from './firestore-api.ts';
import { leftMs } from './within.ts';

/** Google's clients of a Firestore. */
export interface Connection {
  /** For queries and transactions. */
  readonly db: Firestore;
  /** For all else. */
  readonly api: FirestoreApi;
}

const NONE = { retry_codes_name: 'none' };
/** Google's clients retry nothing themselves, as each attempt would have a deadline of its own. A query is resumed by the class. */
const NO_RETRIES = {
  // Without this, another library retries streams.
  gaxServerStreamingRetries: true,
  clientConfig: {
    interfaces: {
      'google.firestore.v1.Firestore': {
        retry_codes: { none: [] },
        methods: { BatchGetDocuments: NONE, Commit: NONE, Rollback: NONE, RunQuery: NONE },
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
  const settings = { ...NO_RETRIES, ...makeChannelOptions(DEADLINES_MS.firestore, leftMs) };
  const headers = host === undefined ? {} : EMULATOR_HEADERS;
  return {
    db: new DeadlineFirestore({
      projectId: project,
      ...settings,
      ...(host && { host, ssl: false, customHeaders: headers }),
    }),
    api: new FirestoreApi(project, { ...settings, ...emulatorSettings(host) }, headers),
  };
}
