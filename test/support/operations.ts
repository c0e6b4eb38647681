import { randomBytes, randomUUID } from 'node:crypto';
import { type Answer, text } from './client.ts';
import type { Client, Tenant, Tier } from './tenant.ts';

/** The five metered operations. */
export const METERED = ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'] as const;
export type Metered = (typeof METERED)[number];

/** Calls one of the metered operations. */
export function operate(client: Client, keyId: string, operation: Metered, body: unknown): Promise<Answer> {
  return client.send('POST', `/v1/keys/${keyId}/${operation}`, body);
}

/** Encrypts a plaintext and returns the ciphertext; all values are base64. Throws if the service refuses. */
export async function encrypt(client: Client, keyId: string, plaintext: string, aad?: string): Promise<string> {
  return text(await operate(client, keyId, 'encrypt', { plaintext, ...(aad !== undefined && { aad }) }), 'ciphertext');
}

/** Makes a key and uses it once, so that its data key is in the memory of the service. `ciphertext` contains a data key. */
export async function makeUsedKey({ api, createKey }: Tenant, tier: Tier) {
  const name = randomUUID();
  const keyId = await createKey(tier, name);
  return { name, keyId, ciphertext: await encrypt(api, keyId, randomBase64(16)) };
}

/** Returns a valid body for each operation. The ciphertext in the bodies is that of a data key of 32 bytes. */
export async function bodiesFor(client: Client, keyId: string): Promise<Record<Metered, Record<string, string>>> {
  const dek = randomBase64(32);
  const value = await encrypt(client, keyId, dek);
  return {
    encrypt: { plaintext: dek },
    decrypt: { ciphertext: value },
    wrap: { dek },
    unwrap: { wrapped: value },
    rewrap: { ciphertext: value },
  };
}

/** Performs all metered operations at once, with the bodies that `bodiesFor` returned. */
export async function performAll(
  { api }: Pick<Tenant, 'api'>,
  keyId: string,
  bodies: Readonly<Record<string, unknown>>,
): Promise<Answer[]> {
  return Promise.all(METERED.map((operation) => operate(api, keyId, operation, bodies[operation])));
}

/** Rotates the key `times` times. Throws if the service refuses. */
export async function rotate(client: Client, keyId: string, times = 1): Promise<void> {
  for (let done = 0; done < times; done++) text(await client.send('POST', `/v1/keys/${keyId}/rotate`), 'id');
}

/** Returns random bytes in base64. */
export function randomBase64(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

/** Returns the number of bytes in a base64 text. */
export function byteLength(base64: string): number {
  return Buffer.from(base64, 'base64').length;
}
