import { expect, test } from 'vitest';
import { type Addresses, outcome, text } from '../../support/client.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { patiently } from '../../support/patience.ts';
import { type Client, makeTenant, type Tenant, type Tier } from '../../support/tenant.ts';

const CLIENTS = 8;
/** Without a token left, and with the tenant's share of the KMS used up. */
const BUSY = ['429 rate_limited', '503 unavailable'];
/** One test is many requests. */
const timeout = 120_000;

/** Which bits of the byte at that place are flipped, one at a time. */
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

/** What the service seals itself. */
export const OF_THE_SERVICE = [
  ['an encrypted byte', 'free'],
  ['an encrypted byte', 'wrapped'],
  ['a wrapped data key', 'wrapped'],
] as const;

/** What the KMS seals. */
export const OF_THE_KMS = [
  ['an encrypted byte', 'software'],
  ['an encrypted byte', 'hsm'],
  // Behind one backend the tiers differ in nothing that could tell here.
  ['a wrapped data key', 'software'],
] as const;

/** Holds, of what is sealed under keys of these tiers, that it does not open with any one of these bits flipped. */
export function holdMalleability(
  stack: Addresses,
  cases: readonly (readonly [keyof typeof SEALED, Tier])[],
  how: string,
  bits: Bits,
): void {
  test.each(cases)(`%s of a %s key does not open with ${how} flipped`, { timeout }, async (what, tier) => {
    const { field, seal } = SEALED[what];
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey(tier);
    const minted = await Promise.all(Array.from({ length: CLIENTS }, () => tenant.mint()));
    const clients = minted.map(({ client }) => client);
    const whole = Buffer.from(await seal(tenant, key), 'base64');
    const values = flip(whole, bits);
    const found = await endings(clients, key, field, values);
    expect(found).toHaveLength(values.length);
    expect(new Set(found)).toEqual(new Set(['400 invalid_ciphertext']));
    expect(await endings(clients, key, field, [whole])).toEqual(['200']);
  });
}

/** How each of many values is answered, by its place in the list; several API keys share the work. */
async function endings(clients: readonly Client[], key: string, field: 'ciphertext' | 'wrapped', values: Buffer[]) {
  const operation = field === 'wrapped' ? 'unwrap' : 'decrypt';
  const found: string[] = [];
  const ask = async (client: Client, first: number) => {
    for (let at = first; at < values.length; at += clients.length) {
      const body = { [field]: values[at]?.toString('base64') };
      found[at] = outcome(await patiently(() => operate(client, key, operation, body), BUSY));
    }
  };
  await Promise.all(clients.map(ask));
  return found;
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
