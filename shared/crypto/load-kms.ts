import type { KeyManagementServiceClient } from '@google-cloud/kms';
import type { Config } from '../config.ts';

/** Loads the client of the KMS, which takes its time, and makes one. A module of ours in between: a bundle names no exports of CommonJS. */
export async function loadKms(config: Config): Promise<KeyManagementServiceClient> {
  const { makeKmsClient } = await import('./kms-client.ts');
  return makeKmsClient(config);
}
