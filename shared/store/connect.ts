import type { Firestore } from '@google-cloud/firestore';
import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';
import { DeadlineFirestore } from './deadline-firestore.ts';
import { FirestoreApi } from './firestore-api.ts';
import { leftMs } from './within.ts';

export interface Connection {
  readonly db: Firestore;
  readonly api: FirestoreApi;
}

const NONE = { retry_codes_name: 'none' };
/** Google's clients must not retry: each attempt would get a new deadline. `Firestore` resumes queries itself. */
const NO_RETRIES = {
  // Despite its name, this setting stops retries of streams: gax then follows our retry settings, which allow none.
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

/** The credential that the Firestore emulator accepts for full access. */
const EMULATOR_HEADERS = { Authorization: 'Bearer owner' };

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
