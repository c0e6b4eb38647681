import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';
import { FirestoreApi } from './firestore-api.ts';

const NONE = { retry_codes_name: 'none' };
/** Google's client must not retry: each attempt would get a new deadline. */
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
}: Pick<Config, 'project' | 'firestoreEmulatorHost'>): FirestoreApi {
  const settings = { ...NO_RETRIES, ...makeChannelOptions(DEADLINES_MS.firestore), ...emulatorSettings(host) };
  return new FirestoreApi(project, settings, host === undefined ? {} : EMULATOR_HEADERS);
}
