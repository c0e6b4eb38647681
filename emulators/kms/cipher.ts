import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const FORMAT = 0x01;
const UID_LENGTH = 16;
const HEADER_LENGTH = 1 + UID_LENGTH + 4;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

interface CiphertextHeader {
  readonly uid: Buffer;
  readonly version: number;
}

function encodeHeader({ uid, version }: CiphertextHeader): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt8(FORMAT, 0);
  uid.copy(header, 1);
  header.writeUInt32BE(version, 1 + UID_LENGTH);
  return header;
}

/** Returns the header of a ciphertext, or `undefined` if the ciphertext is malformed. */
export function decodeHeader(ciphertext: Buffer): CiphertextHeader | undefined {
  if (ciphertext.length < HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH || ciphertext[0] !== FORMAT) return undefined;
  return { uid: ciphertext.subarray(1, 1 + UID_LENGTH), version: ciphertext.readUInt32BE(1 + UID_LENGTH) };
}

/**
 * Encrypts with AES-256-GCM. Returns the header, the nonce, the ciphertext and the tag, one after another. The tag also
 * authenticates the header and `aad`.
 */
export function seal(key: KeyObject, { uid, version }: CiphertextHeader, plaintext: Buffer, aad: Buffer): Buffer {
  const header = encodeHeader({ uid, version });
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
  cipher.setAAD(Buffer.concat([header, aad]));
  const body = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([header, nonce, body, cipher.getAuthTag()]);
}

/**
 * Decrypts a ciphertext. Returns `undefined` if authentication fails. The caller must first check the header with
 * {@link decodeHeader}.
 */
export function open(key: KeyObject, ciphertext: Buffer, aad: Buffer): Buffer | undefined {
  const header = ciphertext.subarray(0, HEADER_LENGTH);
  const nonce = ciphertext.subarray(HEADER_LENGTH, HEADER_LENGTH + NONCE_LENGTH);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(Buffer.concat([header, aad]));
  decipher.setAuthTag(ciphertext.subarray(-TAG_LENGTH));
  const plaintext = decipher.update(ciphertext.subarray(HEADER_LENGTH + NONCE_LENGTH, -TAG_LENGTH));
  try {
    decipher.final();
    return plaintext;
  } catch {
    return undefined;
  }
}
