import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials, status } from '@grpc/grpc-js';
import { keyRing, projectId, wrappedRoot } from './service-environment.ts';

/** Creates the key ring and the wrapped root in the KMS, as an operator does once; what is there already stays. */
export async function createKmsResources(kmsPort: number): Promise<void> {
  const client = new KeyManagementServiceClient({
    apiEndpoint: '127.0.0.1',
    port: kmsPort,
    sslCreds: credentials.createInsecure(),
    projectId,
  });
  try {
    const [location, keyRingId] = split(keyRing, '/keyRings/');
    await tolerateExisting(client.createKeyRing({ parent: location, keyRingId, keyRing: {} }));
    const [parent, cryptoKeyId] = split(wrappedRoot, '/cryptoKeys/');
    const cryptoKey = { purpose: 'ENCRYPT_DECRYPT' } as const;
    await tolerateExisting(client.createCryptoKey({ parent, cryptoKeyId, cryptoKey }));
  } finally {
    await client.close();
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
