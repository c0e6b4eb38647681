import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { patchDocument, readDocument } from '../../support/firestore.ts';
import { encrypt, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '400 invalid_ciphertext';
const DEK = randomBase64(32);
/** The number of versions that stay enabled after a rotation. */
const RETAINED = { free: 1, wrapped: 1, software: 3, hsm: 2 } as const;

/** Returns the outcomes of sending a value to decrypt, unwrap and rewrap. */
async function decryptOutcomes(tenant: Tenant, key: string, value: string): Promise<string[]> {
  const answers = [
    operate(tenant.api, key, 'decrypt', { ciphertext: value }),
    operate(tenant.api, key, 'unwrap', { wrapped: value }),
    operate(tenant.api, key, 'rewrap', { ciphertext: value }),
  ];
  return (await Promise.all(answers)).map(outcome);
}

const ALL_REFUSED = [REFUSED, REFUSED, REFUSED];
const ALL_SUCCEED = ['200', '200', '200'];

describe.each(ALL_TIERS)('a ciphertext of a %s key', (tier) => {
  let tenant: Tenant;
  let key: string;

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    key = await tenant.createKey(tier);
  });

  test('no other key, of the same tenant or of another tenant, can decrypt the ciphertext', async () => {
    const otherTenant = await makeTenant(stack);
    const others = tier === 'free' ? (['wrapped', 'software', 'hsm'] as const) : ALL_TIERS;
    const value = await encrypt(tenant.api, key, DEK);
    for (const other of others) {
      expect(await decryptOutcomes(tenant, await tenant.createKey(other), value)).toEqual(ALL_REFUSED);
    }
    for (const other of ALL_TIERS) {
      expect(await decryptOutcomes(otherTenant, await otherTenant.createKey(other), value)).toEqual(ALL_REFUSED);
    }
    expect(await decryptOutcomes(tenant, key, value)).toEqual(ALL_SUCCEED);
  });

  test('a truncated, extended or empty ciphertext is refused, and so are random bytes', async () => {
    const original = Buffer.from(await encrypt(tenant.api, key, DEK), 'base64');
    const one = Buffer.of(0);
    const extended = [Buffer.concat([original, one]), Buffer.concat([one, original])];
    const others = [
      original.subarray(1),
      original.subarray(0, -1),
      ...extended,
      one,
      randomBytes(36),
      randomBytes(200),
    ];
    for (const value of ['', ...others.map((bytes) => bytes.toString('base64'))])
      expect(await decryptOutcomes(tenant, key, value)).toEqual(ALL_REFUSED);
  });

  test(`a ciphertext can be decrypted only while its version is among the newest of its key (versions retained: ${RETAINED[tier]})`, async () => {
    const owner = await makeTenant(stack);
    const rotated = await owner.createKey(tier);
    const values: string[] = [];
    for (let version = 1; version <= RETAINED[tier] + 2; version++) {
      if (version > 1) await rotate(owner.api, rotated);
      values.push(await encrypt(owner.api, rotated, DEK));
      for (const [index, value] of values.entries()) {
        const isRetained = index + 1 > version - RETAINED[tier];
        expect(await decryptOutcomes(owner, rotated, value)).toEqual(isRetained ? ALL_SUCCEED : ALL_REFUSED);
      }
    }
  });
});

test('an oversized ciphertext that fits in the body is refused as invalid, not as too large', async () => {
  const tenant = await makeTenant(stack);
  expect(await decryptOutcomes(tenant, await tenant.createKey('free'), randomBase64(90_000))).toEqual(ALL_REFUSED);
});

/* An attacker who can write to the store copies a wrapped data key, which the KMS unwraps only for its own key. */
test.each([
  ['the same tenant', true],
  ['another tenant', false],
])(
  'a wrapped data key that is copied from a key of %s cannot encrypt or decrypt there, but still works for its original key',
  async (_, isOwn) => {
    const tenant = await makeTenant(stack);
    const owner = isOwn ? tenant : await makeTenant(stack);
    const [from, to] = [await owner.createKey('wrapped'), await tenant.createKey('wrapped')];
    const ciphertext = await encrypt(owner.api, from, 'AAAA');
    const versionsOf = async (key: string) => Object(await readDocument(stack, `keys/${key}`)).fields.versions;
    await patchDocument(stack, `keys/${to}`, 'versions', await versionsOf(from));
    expect(await versionsOf(to)).toEqual(await versionsOf(from));
    const failed = '500 internal_error';
    expect(outcome(await operate(tenant.api, to, 'decrypt', { ciphertext }))).toBe(failed);
    expect(outcome(await operate(tenant.api, to, 'encrypt', { plaintext: 'AAAA' }))).toBe(failed);
    expect(outcome(await operate(owner.api, from, 'decrypt', { ciphertext }))).toBe('200');
  },
);
