import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { outcome } from '../../support/client.ts';
import { patchDocument, readDocument } from '../../support/firestore.ts';
import { encrypt, operate } from '../../support/operations.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

/*
 * Simulates an attacker who can write to the store and replaces the wrapped data key of one key with that of another
 * key. The KMS unwraps a data key only for the tenant, key and version for which the data key was wrapped.
 */
const stack = inject('stack');
let tenant: Tenant;
let otherTenant: Tenant;
beforeAll(async () => {
  [tenant, otherTenant] = [await makeTenant(stack), await makeTenant(stack)];
});
const stored = z.object({ fields: z.looseObject({ versions: z.unknown() }) });

const versionsOf = async (key: string) => stored.parse(await readDocument(stack, `keys/${key}`)).fields.versions;

describe.each([
  ['of the same tenant', () => tenant],
  ['of another tenant', () => otherTenant],
])('a wrapped data key that is copied from a key %s', (_, ownerOf) => {
  test('a copied data key cannot encrypt or decrypt for the key to which it was copied, but still works for its original key', async () => {
    const owner = ownerOf();
    const [from, to] = [await owner.createKey('wrapped'), await tenant.createKey('wrapped')];
    const ciphertext = await encrypt(owner.api, from, 'AAAA');
    await patchDocument(stack, `keys/${to}`, 'versions', await versionsOf(from));
    expect(await versionsOf(to)).toEqual(await versionsOf(from));
    const failed = '500 internal_error';
    expect(outcome(await operate(tenant.api, to, 'decrypt', { ciphertext }))).toBe(failed);
    expect(outcome(await operate(tenant.api, to, 'encrypt', { plaintext: 'AAAA' }))).toBe(failed);
    expect(outcome(await operate(owner.api, from, 'decrypt', { ciphertext }))).toBe('200');
  });
});
