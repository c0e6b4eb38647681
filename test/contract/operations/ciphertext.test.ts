import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { encrypt, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '400 invalid_ciphertext';
const DEK = randomBase64(32);
/** The number of versions that stay enabled after a rotation. */
const RETAINED = { free: 1, wrapped: 1, software: 3, hsm: 2 } as const;

/** Returns the outcomes of decrypt, unwrap and rewrap for a value. */
async function openings(tenant: Tenant, key: string, value: string): Promise<string[]> {
  const answers = [
    operate(tenant.api, key, 'decrypt', { ciphertext: value }),
    operate(tenant.api, key, 'unwrap', { wrapped: value }),
    operate(tenant.api, key, 'rewrap', { ciphertext: value }),
  ];
  return (await Promise.all(answers)).map(outcome);
}

const NEVER = [REFUSED, REFUSED, REFUSED];
const ALWAYS = ['200', '200', '200'];

describe.each(ALL_TIERS)('a ciphertext of a %s key', (tier) => {
  let tenant: Tenant;
  let key: string;

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    key = await tenant.createKey(tier);
  });

  test('a ciphertext is refused by every other key, of the same tenant or of another', async () => {
    const stranger = await makeTenant(stack);
    const others = tier === 'free' ? (['wrapped', 'software', 'hsm'] as const) : ALL_TIERS;
    const value = await encrypt(tenant.api, key, DEK);
    for (const other of others) {
      expect(await openings(tenant, await tenant.createKey(other), value)).toEqual(NEVER);
    }
    for (const other of ALL_TIERS) {
      expect(await openings(stranger, await stranger.createKey(other), value)).toEqual(NEVER);
    }
    expect(await openings(tenant, key, value)).toEqual(ALWAYS);
  });

  test('a truncated, extended or empty ciphertext is refused, and so are random bytes', async () => {
    const whole = Buffer.from(await encrypt(tenant.api, key, DEK), 'base64');
    const one = Buffer.of(0);
    const others = [whole.subarray(1), whole.subarray(0, -1), Buffer.concat([whole, one]), Buffer.concat([one, whole])];
    const spelled = [
      ...others.map((bytes) => bytes.toString('base64')),
      '',
      'AA==',
      randomBase64(36),
      randomBase64(200),
    ];
    for (const value of spelled) expect(await openings(tenant, key, value)).toEqual(NEVER);
  });

  test(`a ciphertext can be decrypted until its key is rotated (number of rotations: ${RETAINED[tier]})`, async () => {
    const rotated = await makeTenant(stack).then(async (owner) => ({ owner, id: await owner.createKey(tier) }));
    const values: string[] = [];
    for (let version = 1; version <= RETAINED[tier] + 2; version++) {
      if (version > 1) await rotate(rotated.owner.api, rotated.id);
      values.push(await encrypt(rotated.owner.api, rotated.id, DEK));
      for (const [index, value] of values.entries()) {
        const isRetained = index + 1 > version - RETAINED[tier];
        expect(await openings(rotated.owner, rotated.id, value)).toEqual(isRetained ? ALWAYS : NEVER);
      }
    }
  });
});

test('an oversized ciphertext that fits in the body is refused as invalid, not as too large', async () => {
  const tenant = await makeTenant(stack);
  expect(await openings(tenant, await tenant.createKey('free'), randomBase64(90_000))).toEqual(NEVER);
});
