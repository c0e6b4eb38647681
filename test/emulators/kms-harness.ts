import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { type KmsOptions, startKms } from '../../emulators/kms/server.ts';

export const LOCATION = 'projects/p/locations/europe-west1';
export const RING = `${LOCATION}/keyRings/ring`;
export const START = Date.UTC(2026, 10, 20, 12);
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The gRPC status codes that the tests expect. */
export const CODE = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
} as const;

/** Returns Google’s KMS client for a port of this machine. The client is closed when the test ends. */
export const connect = (port: number): KeyManagementServiceClient => {
  const client = new KeyManagementServiceClient({
    apiEndpoint: '127.0.0.1',
    port,
    sslCreds: credentials.createInsecure(),
    projectId: 'p',
    // Otherwise, the client would ask Google’s metadata server, which does not exist here.
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  onTestFinished(() => client.close());
  return client;
};

/** Starts an emulator for one test, with the key ring `RING` and a clock that the test moves from `START`. */
export const openKms = async (options: Partial<KmsOptions> = {}) => {
  const clock = { now: START };
  const server = await startKms({ port: 0, now: () => clock.now, ...options });
  onTestFinished(() => server.stop());
  const client = connect(server.port);
  await client.createKeyRing({ parent: LOCATION, keyRingId: 'ring', keyRing: {} });
  return { client, clock, server };
};

/** Creates a key in `RING` and returns its name. */
export const createKey = async (
  client: KeyManagementServiceClient,
  cryptoKeyId: string,
  protectionLevel: 'SOFTWARE' | 'HSM' = 'SOFTWARE',
  destroyScheduledDuration = DAY,
): Promise<string> => {
  const [key] = await client.createCryptoKey({
    parent: RING,
    cryptoKeyId,
    cryptoKey: {
      purpose: 'ENCRYPT_DECRYPT',
      versionTemplate: { protectionLevel, algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION' },
      destroyScheduledDuration: { seconds: destroyScheduledDuration / 1000 },
    },
  });
  return key.name ?? '';
};

/** Creates an HSM key whose first version has been generated. */
export const createReadyHsmKey = async (client: KeyManagementServiceClient, cryptoKeyId: string): Promise<string> => {
  const name = await createKey(client, cryptoKeyId, 'HSM');
  await client.getCryptoKeyVersion({ name: `${name}/cryptoKeyVersions/1` });
  return name;
};

/** Creates an Ed25519 key pair, whose version 1 is pending, and returns its name. */
export const createSigningKey = async (
  client: KeyManagementServiceClient,
  cryptoKeyId: string,
  protectionLevel: 'SOFTWARE' | 'HSM' = 'SOFTWARE',
): Promise<string> => {
  const versionTemplate = { protectionLevel, algorithm: 'EC_SIGN_ED25519' } as const;
  const cryptoKey = { purpose: 'ASYMMETRIC_SIGN', versionTemplate } as const;
  return (await client.createCryptoKey({ parent: RING, cryptoKeyId, cryptoKey }))[0].name ?? '';
};

/** Creates an Ed25519 key pair and returns the name of its version, which has been generated. */
export const createSigningVersion = async (...request: Parameters<typeof createSigningKey>): Promise<string> => {
  const name = `${await createSigningKey(...request)}/cryptoKeyVersions/1`;
  await request[0].getCryptoKeyVersion({ name });
  return name;
};

type EncryptRequest = Parameters<KeyManagementServiceClient['encrypt']>[0] & object;

/** Encrypts, and returns the ciphertext as bytes. */
export const seal = async (client: KeyManagementServiceClient, request: EncryptRequest): Promise<Buffer> => {
  const [{ ciphertext }] = await client.encrypt(request);
  return Buffer.from(ciphertext ?? '');
};
