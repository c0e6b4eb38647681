import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';
import { FirestoreApi } from './firestore-api.ts';

/** Despite its name, this setting stops the retries of streams: gax then follows the options of each call. */
const NO_STREAM_RETRIES = { gaxServerStreamingRetries: true };

/** The credential that the Firestore emulator accepts for full access. */
const EMULATOR_HEADERS = { Authorization: 'Bearer owner' };

export function connect({
  project,
  firestoreEmulatorHost: host,
}: Pick<Config, 'project' | 'firestoreEmulatorHost'>): FirestoreApi {
  const settings = { ...NO_STREAM_RETRIES, ...makeChannelOptions(DEADLINES_MS.firestore), ...emulatorSettings(host) };
  return new FirestoreApi(project, settings, host === undefined ? {} : EMULATOR_HEADERS);
}
