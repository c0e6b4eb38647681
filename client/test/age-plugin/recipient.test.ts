import { bech32 } from '@scure/base';
import { expect, test } from 'vitest';
import { IDENTITY, keyIdOfRecipient, recipientOf } from '../../src/age-plugin/recipient.ts';

const KEY_ID = '3f0d7c1e-8a52-4222-8333-444455556666';

test('a recipient is the key id encoded in Bech32, and decodes to the same key id', () => {
  const recipient = recipientOf(KEY_ID);
  expect(recipient).toMatch(/^age1esk1[02-9ac-hj-np-z]{32}$/);
  expect(keyIdOfRecipient(recipient)).toBe(KEY_ID);
  expect(keyIdOfRecipient(recipientOf(KEY_ID.toUpperCase()))).toBe(KEY_ID);
});

test('the plugin’s identity has no data and equals the identity that age creates for -j esk', () => {
  expect(IDENTITY).toBe('AGE-PLUGIN-ESK-1V68H6P');
});

test.each([
  ['of another plugin', 'age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t'],
  ['of age itself', 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj'],
  ['with a wrong checksum', `${recipientOf(KEY_ID).slice(0, -1)}q`],
  ['that does not contain a key id', bech32.encodeFromBytes('age1esk', new Uint8Array(4))],
  ['that is empty', ''],
])('a recipient %s is refused', (_, recipient) => {
  expect(() => keyIdOfRecipient(recipient)).toThrow(expect.objectContaining({ code: 'invalid_recipient' }));
});

test('a recipient can be created only from a key id', () => {
  expect(() => recipientOf('backups')).toThrow(TypeError);
});
