import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { type Addresses, type Answer, text } from './client.ts';
import { ALL_TIERS, type Client, makeTenant, type Tenant, type Tier } from './tenant.ts';

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

/** A tenant with a key of each tier. */
export interface KeysOfAllTiers {
  readonly tenant: Tenant;
  /** Returns the id of the tenant's key of a tier. */
  keyOf(tier: Tier): string;
  /** Calls a metered operation on the tenant's key of a tier. */
  call(tier: Tier, operation: Metered, body: unknown): Promise<Answer>;
}

/** Makes the tenant and its keys before the tests of the calling file. */
export function keysOfAllTiers(stack: Addresses): KeysOfAllTiers {
  const keys = new Map<Tier, string>();
  let made: Tenant | undefined;
  beforeAll(async () => {
    made = await makeTenant(stack);
    for (const tier of ALL_TIERS) keys.set(tier, await made.createKey(tier));
  });
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the tenant has not been made yet');
    return value;
  };
  const keyOf = (tier: Tier) => required(keys.get(tier));
  return {
    get tenant() {
      return required(made);
    },
    keyOf,
    call: async (tier, operation, body) => operate(required(made).api, keyOf(tier), operation, body),
  };
}
