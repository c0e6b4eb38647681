import { expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { patiently } from '../../support/patience.ts';
import { ALL_TIERS, type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const CLIENTS = 8;
/** One test is many requests. */
const timeout = 120_000;

/** How each of many values is answered, by its place in the list; several API keys share the work. */
async function endings(clients: readonly Client[], key: string, field: 'ciphertext' | 'wrapped', values: Buffer[]) {
  const operation = field === 'wrapped' ? 'unwrap' : 'decrypt';
  const found: string[] = [];
  const ask = async (client: Client, first: number) => {
    for (let at = first; at < values.length; at += clients.length) {
      const body = { [field]: values[at]?.toString('base64') };
      found[at] = outcome(await patiently(() => operate(client, key, operation, body)));
    }
  };
  await Promise.all(clients.map(ask));
  return found;
}

function everyFlippedBit(value: Buffer): Buffer[] {
  return [...value.keys()].flatMap((at) =>
    Array.from({ length: 8 }, (_, bit) => {
      const flipped = Buffer.from(value);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
      return flipped;
    }),
  );
}

const encrypted = ({ api }: Tenant, key: string) => encrypt(api, key, 'AA==');
const wrapped = async ({ api }: Tenant, key: string) =>
  text(await operate(api, key, 'wrap', { dek: randomBase64(16) }), 'wrapped');

test.each([
  ...ALL_TIERS.map((tier) => ['an encrypted byte', tier, 'ciphertext', encrypted] as const),
  // Behind one backend the tiers differ in nothing that could tell here.
  ['a wrapped data key', 'wrapped', 'wrapped', wrapped],
  ['a wrapped data key', 'software', 'wrapped', wrapped],
] as const)('%s of a %s key does not open with any one bit flipped', { timeout }, async (_, tier, field, seal) => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey(tier);
  const clients = (await Promise.all(Array.from({ length: CLIENTS }, () => tenant.mint()))).map(({ client }) => client);
  const whole = Buffer.from(await seal(tenant, key), 'base64');
  const found = await endings(clients, key, field, everyFlippedBit(whole));
  expect(found).toHaveLength(whole.length * 8);
  expect(new Set(found)).toEqual(new Set(['400 invalid_ciphertext']));
  expect(await endings(clients, key, field, [whole])).toEqual(['200']);
});
