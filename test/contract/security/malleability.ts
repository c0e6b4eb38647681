import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Addresses, outcome, text } from '../../support/client.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { type Client, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';

const CLIENTS = 8;
/** A request that exceeds the tenant's share of KMS operations is sent at most this often. */
const ATTEMPTS = 100;
/** The timeout is long, because each test sends many requests. */
const timeout = 120_000;

/** Returns the bits to flip, one at a time, in the byte at index `at`. */
type Bits = (at: number) => readonly number[];
export const EVERY_BIT: Bits = () => [0, 1, 2, 3, 4, 5, 6, 7];
export const ONE_BIT: Bits = (at) => [at % 8];

const encrypted = ({ api }: Tenant, key: string) => encrypt(api, key, 'AA==');
const wrapped = async ({ api }: Tenant, key: string) =>
  text(await operate(api, key, 'wrap', { dek: randomBase64(16) }), 'wrapped');
const SEALED = {
  'an encrypted byte': { field: 'ciphertext', seal: encrypted },
  'a wrapped data key': { field: 'wrapped', seal: wrapped },
} as const;

/** Kinds of ciphertext that the service makes itself. */
export const SERVICE_CIPHERTEXTS = [
  ['an encrypted byte', 'free'],
  ['an encrypted byte', 'wrapped'],
  ['a wrapped data key', 'wrapped'],
] as const;

/** Kinds of ciphertext that the KMS makes. */
export const KMS_CIPHERTEXTS = [
  ['an encrypted byte', 'software'],
  ['an encrypted byte', 'hsm'],
  // One tier is enough, because both tiers use the same KMS here.
  ['a wrapped data key', 'software'],
] as const;

/** Defines tests that no ciphertext of the given kinds and tiers can be decrypted after one of the bits is flipped. */
export function testMalleability(
  stack: Addresses,
  cases: readonly (readonly [keyof typeof SEALED, Tier])[],
  how: string,
  bits: Bits,
): void {
  test.each(cases)(`%s of a %s key cannot be decrypted after ${how} is flipped`, { timeout }, async (what, tier) => {
    const { field, seal } = SEALED[what];
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey(tier);
    const minted = await Promise.all(Array.from({ length: CLIENTS }, () => tenant.mint()));
    const clients = minted.map(({ client }) => client);
    const original = Buffer.from(await seal(tenant, key), 'base64');
    const values = flip(original, bits);
    const outcomes = await outcomesOfDecrypting(clients, key, field, values);
    expect(outcomes).toHaveLength(values.length);
    expect(new Set(outcomes)).toEqual(new Set(['400 invalid_ciphertext']));
    expect(await outcomesOfDecrypting(clients, key, field, [original])).toEqual(['200']);
  });
}

/** Decrypts the values with several API keys in parallel. Returns the outcomes in the order of the values. */
async function outcomesOfDecrypting(
  clients: readonly Client[],
  key: string,
  field: 'ciphertext' | 'wrapped',
  values: Buffer[],
) {
  const operation = field === 'wrapped' ? 'unwrap' : 'decrypt';
  const outcomes: string[] = [];
  const ask = async (client: Client, first: number) => {
    for (let at = first; at < values.length; at += clients.length) {
      const body = { [field]: values[at]?.toString('base64') };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        outcomes[at] = outcome(await operate(client, key, operation, body));
        if (outcomes[at] !== '503 unavailable') break;
        await pause(50);
      }
    }
  };
  await Promise.all(clients.map(ask));
  return outcomes;
}

function flip(value: Buffer, bits: Bits): Buffer[] {
  return [...value.keys()].flatMap((at) =>
    bits(at).map((bit) => {
      const flipped = Buffer.from(value);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
      return flipped;
    }),
  );
}
