import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { idBytes, type KeyId, type TenantId } from '../base/ids.ts';
import { deriveKey } from './kdf.ts';

/*
 * The ciphertext of `free` and `wrapped` keys, 36 bytes longer than its plaintext:
 *
 *   0      format, 0x01
 *   1-3    key version, big-endian
 *   4-19   nonce, 16 random bytes
 *   20-    AES-256-GCM ciphertext, then its tag of 16 bytes
 *
 * Each message has a separate key and IV, derived from the version's data key and the nonce. So a data key may encrypt
 * more messages than NIST SP 800-38D §8.3 allows for one key with random IVs.
 */
const FORMAT = 0x01;
const HEADER_BYTES = 4;
const NONCE_BYTES = 16;
const TAG_BYTES = 16;
const MESSAGE_KEY_BYTES = 32;
const IV_BYTES = 12;

export const OVERHEAD_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

const LABEL = Buffer.from('encryption-service message key\0');
const DERIVED_BITS = Buffer.from(Uint32Array.of((MESSAGE_KEY_BYTES + IV_BYTES) * 8).buffer).swap32();

/** The values that a ciphertext is bound to. Decryption needs the same values. */
export interface Binding {
  readonly tenantId: TenantId;
  readonly keyId: KeyId;
  readonly aad: Uint8Array;
}

/** Encrypts a message. `nonce` is 16 bytes, unique for the data key. */
export function encryptMessage(
  dataKey: KeyObject,
  version: number,
  binding: Binding,
  plaintext: Uint8Array,
  nonce: Uint8Array = randomBytes(NONCE_BYTES),
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(version);
  header.writeUInt8(FORMAT);
  const { messageKey, iv } = deriveMessageKey(dataKey, nonce);
  const cipher = createCipheriv('aes-256-gcm', messageKey, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundData(header, binding));
  const encrypted = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([header, nonce, encrypted, cipher.getAuthTag()]);
}

/** Returns a ciphertext's key version, or `undefined` if the ciphertext does not have the format above. */
export function readVersion(ciphertext: Buffer): number | undefined {
  if (ciphertext.length < OVERHEAD_BYTES || ciphertext.readUInt8(0) !== FORMAT) return undefined;
  return ciphertext.readUIntBE(1, 3);
}

/** Decrypts {@link encryptMessage}'s output. Returns `undefined` if the ciphertext was changed or the binding differs. */
export function decryptMessage(dataKey: KeyObject, binding: Binding, ciphertext: Buffer): Buffer | undefined {
  if (readVersion(ciphertext) === undefined) return undefined;
  const nonce = ciphertext.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const encrypted = ciphertext.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES);
  const { messageKey, iv } = deriveMessageKey(dataKey, nonce);
  const decipher = createDecipheriv('aes-256-gcm', messageKey, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundData(ciphertext.subarray(0, HEADER_BYTES), binding));
  decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
  const plaintext = decipher.update(encrypted);
  try {
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    return undefined;
  }
}

function deriveMessageKey(dataKey: KeyObject, nonce: Uint8Array): { messageKey: KeyObject; iv: Buffer } {
  const derived = deriveKey(dataKey, Buffer.concat([LABEL, nonce, DERIVED_BITS]), MESSAGE_KEY_BYTES + IV_BYTES);
  // Node encrypts nearly twice as fast with a KeyObject as with a Buffer.
  const messageKey = createSecretKey(derived.subarray(0, MESSAGE_KEY_BYTES));
  const iv = Buffer.from(derived.subarray(MESSAGE_KEY_BYTES));
  derived.fill(0);
  return { messageKey, iv };
}

function boundData(header: Uint8Array, { tenantId, keyId, aad }: Binding): Buffer {
  return Buffer.concat([header, idBytes(tenantId), idBytes(keyId), aad]);
}
