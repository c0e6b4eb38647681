import { setTimeout as sleep } from 'node:timers/promises';
import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials, status } from '@grpc/grpc-js';
import { PROJECT_ID } from '../base/repository.ts';
import { AUDIT_SIGNING_KEY, KEY_RING, WRAPPED_ROOT } from './service-environment.ts';

const POLL_MS = 10;

/** Creates the keys in the KMS that the service needs, unless they exist. */
export async function createKmsResources(kmsPort: number): Promise<void> {
  const client = new KeyManagementServiceClient({
    apiEndpoint: '127.0.0.1',
    port: kmsPort,
    sslCreds: credentials.createInsecure(),
    projectId: PROJECT_ID,
  });
  try {
    const [location, keyRingId] = split(KEY_RING, '/keyRings/');
    await tolerateExisting(client.createKeyRing({ parent: location, keyRingId, keyRing: {} }));
    const [parent, cryptoKeyId] = split(WRAPPED_ROOT, '/cryptoKeys/');
    const cryptoKey = { purpose: 'ENCRYPT_DECRYPT' } as const;
    await tolerateExisting(client.createCryptoKey({ parent, cryptoKeyId, cryptoKey }));
    await createSigningKey(client);
  } finally {
    await client.close();
  }
}

async function createSigningKey(client: KeyManagementServiceClient): Promise<void> {
  const [name] = split(AUDIT_SIGNING_KEY, '/cryptoKeyVersions/');
  const [parent, cryptoKeyId] = split(name, '/cryptoKeys/');
  const cryptoKey = { purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm: 'EC_SIGN_ED25519' } } as const;
  await tolerateExisting(client.createCryptoKey({ parent, cryptoKeyId, cryptoKey }));
  // Wait for the key pair: a new one cannot be used until it is generated.
  while ((await client.getCryptoKeyVersion({ name: AUDIT_SIGNING_KEY }))[0].state === 'PENDING_GENERATION') {
    await sleep(POLL_MS);
  }
}

function split(name: string, collection: string): [parent: string, id: string] {
  const at = name.lastIndexOf(collection);
  return [name.slice(0, at), name.slice(at + collection.length)];
}

async function tolerateExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === status.ALREADY_EXISTS;
    if (!exists) throw error;
  }
}
