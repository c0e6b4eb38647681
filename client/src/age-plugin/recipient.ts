import { bech32 } from '@scure/base';
import { FormatError } from '../files/format-error.ts';
import { bytesOfKeyId, keyIdOfBytes } from '../files/key-id.ts';

const RECIPIENT_PREFIX = 'age1esk';
const IDENTITY_PREFIX = 'age-plugin-esk-';
const KEY_ID_LENGTH = 16;

/** Returns the recipient `age1esk1…` of a key, for `age -r`. Throws a `TypeError` unless `keyId` is a UUID. */
export function recipientOf(keyId: string): string {
  return bech32.encodeFromBytes(RECIPIENT_PREFIX, bytesOfKeyId(keyId));
}

/** Returns the id of the key that a recipient names. Throws a `FormatError` `invalid_recipient`. */
export function keyIdOfRecipient(recipient: string): string {
  const bytes = decode(recipient, RECIPIENT_PREFIX);
  if (bytes?.length !== KEY_ID_LENGTH)
    throw new FormatError('invalid_recipient', 'not an esk recipient; get one with esk keys recipient KEY');
  return keyIdOfBytes(bytes);
}

/**
 * The plugin's only identity, `AGE-PLUGIN-ESK-1…`. It is not a secret. age's option `-j esk` has the same effect as a
 * file with this identity.
 */
export const IDENTITY = bech32.encodeFromBytes(IDENTITY_PREFIX, new Uint8Array()).toUpperCase();

function decode(text: string, expected: string): Uint8Array | undefined {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text);
    return prefix === expected ? bytes : undefined;
  } catch {
    return undefined;
  }
}
