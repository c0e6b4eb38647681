import type { KeyManagementServiceClient } from '@google-cloud/kms';
import type { Config } from '../config.ts';

/** A module of its own, because a bundle has no named exports of CommonJS packages. Loaded on demand: it is slow. */
export async function loadKms(config: Config): Promise<KeyManagementServiceClient> {
  const { makeKmsClient } = await import('./kms-client.ts');
  return makeKmsClient(config);
}
