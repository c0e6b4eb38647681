import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { bodiesFor, encrypt, type Metered, operate } from '../../support/operations.ts';
import { ALL_TIERS, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

const MALFORMED = [
  ['without padding', 'aGVsbG8'],
  ['with half its padding', 'aA='],
  ['with too much padding', 'aGVsbG8=='],
  ['padded where none belongs', 'aGVs='],
  ['of padding only', '===='],
  ['in the URL alphabet', '-__-_w=='],
  ['in the URL alphabet, unpadded', '-__-_w'],
  ['with a space before', ' aGVsbG8='],
  ['with a newline after', 'aGVsbG8=\n'],
  ['broken into lines', 'aGVs\r\nbG8='],
  ['with padding inside', 'aGVsbG8=aGVs'],
  ['of one digit', 'a'],
  ['with another character', 'aGVs*G8='],
  ['outside ASCII', 'aGVsbGé='],
  ['as a data URL', 'data:;base64,aGVsbG8='],
] as const;

const FIELDS = [
  ['encrypt', 'plaintext'],
  ['encrypt', 'aad'],
  ['decrypt', 'ciphertext'],
  ['decrypt', 'aad'],
  ['wrap', 'dek'],
  ['wrap', 'aad'],
  ['unwrap', 'wrapped'],
  ['unwrap', 'aad'],
  ['rewrap', 'ciphertext'],
  ['rewrap', 'aad'],
] as const;

let tenant: Tenant;
let key: string;
let bodies: Record<Metered, Record<string, string>>;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  key = await tenant.createKey('free');
  bodies = await bodiesFor(tenant.api, key);
});

describe.each(FIELDS)('base64 in %s, field %s', (operation, field) => {
  test('base64 that is not standard and padded is refused, and the message names the field', async () => {
    const { client } = await tenant.mint();
    for (const [what, value] of MALFORMED) {
      const answer = await operate(client, key, operation, { ...bodies[operation], [field]: value });
      expect([what, outcome(answer)]).toEqual([what, '400 invalid_base64']);
      expect(text(answer, 'message')).toContain(field);
    }
  });
});

test.each(ALL_TIERS)('operations on a %s key answer in standard, padded base64', async (tier) => {
  const otherTenant = await makeTenant(stack);
  const id = await otherTenant.createKey(tier);
  const plaintext = '+//+/w==';
  const ciphertext = await encrypt(otherTenant.api, id, plaintext);
  expect((await operate(otherTenant.api, id, 'decrypt', { ciphertext })).body).toEqual({ plaintext });
  const answers = await Promise.all(Array.from({ length: 8 }, () => operate(otherTenant.api, id, 'wrap', {})));
  for (const value of answers.flatMap((answer) => [text(answer, 'wrapped'), text(answer, 'dek')])) {
    expect(Buffer.from(value, 'base64').toString('base64')).toBe(value);
  }
});
