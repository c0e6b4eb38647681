import type { ByteReader } from './byte-reader.ts';
import { random } from './bytes.ts';
import { type ChaCha20Poly1305, makeChaCha20Poly1305 } from './chacha20-poly1305.ts';
import { FormatError } from './format-error.ts';
import { hkdf } from './hkdf.ts';

/** Bytes of plaintext per chunk. Only the last chunk may be shorter. */
export const CHUNK_LENGTH = 65_536;
const TAG_LENGTH = 16;
const SALT_LENGTH = 16;

type MakeCipher = (key: Uint8Array) => ChaCha20Poly1305;

/** Encrypts an age payload (C2SP age.md): a nonce, then the encrypted chunks. */
export async function* sealPayload(
  fileKey: Uint8Array,
  input: ByteReader,
  makeCipher: MakeCipher = makeChaCha20Poly1305,
): AsyncGenerator<Uint8Array> {
  const salt = random(SALT_LENGTH);
  yield salt;
  const cipher = makeCipher(await hkdf(fileKey, salt, 'payload'));
  const buffer = new Uint8Array(CHUNK_LENGTH);
  for (let number = 0; ; number++) {
    const chunk = await input.readInto(buffer);
    const isLast = await input.isAtEnd();
    yield* cipher.seal(nonceOf(number, isLast), chunk);
    if (isLast) return;
  }
}

/**
 * Yields each chunk of plaintext once it is authenticated.
 *
 * @throws FormatError `invalid_header` (the nonce is missing), `payload_altered`, `truncated` (no last chunk)
 */
export async function* openPayload(
  fileKey: Uint8Array,
  input: ByteReader,
  makeCipher: MakeCipher = makeChaCha20Poly1305,
): AsyncGenerator<Uint8Array> {
  const salt = await input.read(SALT_LENGTH);
  if (salt.length < SALT_LENGTH) throw new FormatError('invalid_header', 'the file ends after its header');
  const cipher = makeCipher(await hkdf(fileKey, salt, 'payload'));
  const buffer = new Uint8Array(CHUNK_LENGTH + TAG_LENGTH);
  for (let number = 0; ; number++) {
    const sealed = await input.readInto(buffer);
    const isAtEnd = await input.isAtEnd();
    const chunk = cipher.open(nonceOf(number, isAtEnd), sealed);
    if (chunk === undefined) {
      const misplaced = cipher.open(nonceOf(number, !isAtEnd), sealed);
      if (misplaced === undefined) throw altered(number);
      if (misplaced.length === CHUNK_LENGTH) yield misplaced;
      if (isAtEnd) throw new FormatError('truncated', 'the file is truncated: its last chunk is missing');
      throw new FormatError('payload_altered', 'the file has extra data after its last chunk');
    }
    if (chunk.length === 0 && number > 0) throw altered(number);
    if (chunk.length > 0) yield chunk;
    if (isAtEnd) return;
  }
}

/** Returns a chunk's nonce: its number in 11 bytes (big-endian), then one byte that marks the last chunk. */
function nonceOf(number: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(12);
  const view = new DataView(nonce.buffer);
  view.setBigUint64(3, BigInt(number));
  view.setUint8(11, isLast ? 1 : 0);
  return nonce;
}

function altered(number: number): FormatError {
  return new FormatError('payload_altered', `chunk ${number} was altered, or the file was truncated there`);
}
