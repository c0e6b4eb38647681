import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = ownStack();
const CLIENTS = 8;
/** A request that exceeds the tenant's share of KMS operations is sent at most this often. */
const ATTEMPTS = 100;

const encrypted = ({ api }: Tenant, key: string) => encrypt(api, key, 'AA==');
const wrapped = async ({ api }: Tenant, key: string) =>
  text(await operate(api, key, 'wrap', { dek: randomBase64(16) }), 'wrapped');
const SEALED = {
  'an encrypted byte': { field: 'ciphertext', seal: encrypted },
  'a wrapped data key': { field: 'wrapped', seal: wrapped },
} as const;

test.each([
  ['an encrypted byte', 'free'],
  ['an encrypted byte', 'wrapped'],
  ['a wrapped data key', 'wrapped'],
  ['an encrypted byte', 'software'],
  ['an encrypted byte', 'hsm'],
  // One tier is enough, because both tiers use the same KMS here.
  ['a wrapped data key', 'software'],
] as const)('%s of a %s key cannot be decrypted after any single bit is flipped', async (what, tier) => {
  const { field, seal } = SEALED[what];
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey(tier);
  const minted = await Promise.all(Array.from({ length: CLIENTS }, () => tenant.mint()));
  const clients = minted.map(({ client }) => client);
  const original = Buffer.from(await seal(tenant, key), 'base64');
  const values = flip(original);
  const outcomes = await outcomesOfDecrypting(clients, key, field, values);
  expect(outcomes).toHaveLength(values.length);
  expect(new Set(outcomes)).toEqual(new Set(['400 invalid_ciphertext']));
  expect(await outcomesOfDecrypting(clients, key, field, [original])).toEqual(['200']);
});

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

function flip(value: Buffer): Buffer[] {
  return Array.from({ length: 8 * value.length }, (_, bit) => {
    const flipped = Buffer.from(value);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    return flipped;
  });
}
