import { bech32 } from '@scure/base';
import { FormatError } from '../files/format-error.ts';
import { bytesOfKeyId, keyIdOfBytes } from '../files/key-id.ts';

const RECIPIENT_PREFIX = 'age1esk';
const IDENTITY_PREFIX = 'age-plugin-esk-';
const KEY_ID_LENGTH = 16;

/**
 * The recipient that `age -r` takes for a key: `age1esk1…`, the key's id in Bech32. It says nothing of where the service
 * is. Throws a `TypeError` where `keyId` is no UUID.
 */
export function recipientOf(keyId: string): string {
  return bech32.encodeFromBytes(RECIPIENT_PREFIX, bytesOfKeyId(keyId));
}

/** The id of a recipient's key. Throws a `FormatError` `invalid_recipient`. */
export function keyIdOfRecipient(recipient: string): string {
  const bytes = decode(recipient, RECIPIENT_PREFIX);
  if (bytes?.length !== KEY_ID_LENGTH)
    throw new FormatError('invalid_recipient', 'this is no recipient of the service');
  return keyIdOfBytes(bytes);
}

/** The plugin's one identity, `AGE-PLUGIN-ESK-1…`, for identity files; `-j esk` stands for the same. It is no secret. */
export const IDENTITY = bech32.encodeFromBytes(IDENTITY_PREFIX, new Uint8Array()).toUpperCase();

function decode(text: string, expected: string): Uint8Array | undefined {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text);
    return prefix === expected ? bytes : undefined;
  } catch {
    return undefined;
  }
}
