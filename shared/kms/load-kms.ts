import type { KeyManagementServiceClient } from '@google-cloud/kms';
import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { emulatorSettings, makeChannelOptions } from '../grpc/channel.ts';

/** Loads the KMS client on demand, because loading is slow. */
export async function loadKms({ project, kmsEmulatorHost }: Config): Promise<KeyManagementServiceClient> {
  const { KeyManagementServiceClient } = await import('@google-cloud/kms');
  const channel = makeChannelOptions(DEADLINES_MS.kms);
  return new KeyManagementServiceClient({ projectId: project, ...channel, ...emulatorSettings(kmsEmulatorHost) });
}
