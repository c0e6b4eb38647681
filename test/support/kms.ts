import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials } from '@grpc/grpc-js';
import { portsOf } from '../../emulators/stack/ports.ts';
import { KEY_RING } from '../../emulators/stack/service-environment.ts';
import type { Addresses } from './client.ts';

/**
 * Returns the states of all versions of a key's CryptoKey, in order, read directly from the stack's KMS without faults.
 */
export function kmsVersionStates(stack: Addresses, keyId: string): Promise<string[]> {
  return withKms(stack, async (kms) => {
    const [versions] = await kms.listCryptoKeyVersions({ parent: `${KEY_RING}/cryptoKeys/${keyId}` });
    const numbered = versions.map(({ name, state }) => ({ number: Number(name?.split('/').at(-1)), state }));
    return numbered.sort((a, b) => a.number - b.number).map(({ state }) => String(state));
  });
}

/** Returns the number of the primary version of a key's CryptoKey, read directly from the stack's KMS. */
export function kmsPrimary(stack: Addresses, keyId: string): Promise<number> {
  return withKms(stack, async (kms) => {
    const [{ primary }] = await kms.getCryptoKey({ name: `${KEY_RING}/cryptoKeys/${keyId}` });
    return Number(primary?.name?.split('/').at(-1));
  });
}

/** Returns the protection level of a key's CryptoKey, read directly from the stack's KMS. */
export function kmsProtection(stack: Addresses, keyId: string): Promise<unknown> {
  return withKms(stack, async (kms) => {
    const [{ primary }] = await kms.getCryptoKey({ name: `${KEY_RING}/cryptoKeys/${keyId}` });
    return primary?.protectionLevel;
  });
}

/** Returns the ids of all CryptoKeys in the stack's KMS. */
export function kmsKeyIds(stack: Addresses): Promise<string[]> {
  return withKms(stack, async (kms) => {
    const [keys] = await kms.listCryptoKeys({ parent: KEY_RING });
    return keys.flatMap(({ name }) => name?.split('/').at(-1) ?? []);
  });
}

/** Decrypts a ciphertext with the stack’s wrapped root, directly in the KMS. Throws if the aad is wrong. */
export function unwrapStored(stack: Addresses, ciphertext: Buffer, aad: Buffer): Promise<Buffer> {
  return withKms(stack, async (kms) => {
    const name = `${KEY_RING}/cryptoKeys/wrapped-root`;
    const [{ plaintext }] = await kms.decrypt({ name, ciphertext, additionalAuthenticatedData: aad });
    return Buffer.from(plaintext ?? '');
  });
}

async function withKms<T>(stack: Addresses, ask: (kms: KeyManagementServiceClient) => Promise<T>): Promise<T> {
  const kms = kmsOf(stack);
  try {
    return await ask(kms);
  } finally {
    await kms.close();
  }
}

/** Returns Google's client for the stack's KMS, without faults. */
export function kmsOf(stack: Addresses): KeyManagementServiceClient {
  return new KeyManagementServiceClient({
    apiEndpoint: '127.0.0.1',
    port: portsOf(stack).kms,
    sslCreds: credentials.createInsecure(),
    projectId: 'test',
    // Without this option, the client asks Google’s metadata server, which does not exist here.
    clientOptions: { universeDomain: 'googleapis.com' },
  });
}
