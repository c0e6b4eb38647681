import { createPublicKey, verify } from 'node:crypto';
import { decodeBase64 } from '../base/base64.ts';
import { isKeyName, type VerifierKey } from './verifier-key.ts';

/** The most signatures of a note: the limit of Go's implementation. The specification requires at least 16. */
const MAX_SIGNATURES = 100;
const KEY_ID_BYTES = 4;
const SIGNATURE_LINE = /^— ([^ ]+) ([^ ]+)$/;

interface NoteSignature {
  readonly name: string;
  /** Eight hex digits. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** A text that ends with a line feed, and its signatures, which are not verified yet. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export type NoteRefusal = 'malformed' | 'not signed by this key' | 'invalid signature';

/** Parses a C2SP signed-note. Returns `undefined` if any line is malformed. */
export function parseNote(message: string): Note | undefined {
  const end = message.lastIndexOf('\n\n') + 1;
  if (end === 0 || !message.endsWith('\n') || !isPrintable(message)) return undefined;
  const lines = message.slice(end + 1, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return undefined;
  const signatures = lines.flatMap((line) => parseSignature(line) ?? []);
  return signatures.length === lines.length ? { text: message.slice(0, end), signatures } : undefined;
}

/** Verifies a note with one key. Ignores signatures of other keys. All signatures of this key must be valid. */
export function openNote(message: string, key: VerifierKey): { text: string } | { refused: NoteRefusal } {
  const note = parseNote(message);
  if (note === undefined) return { refused: 'malformed' };
  const own = note.signatures.filter(({ name, keyId }) => name === key.name && keyId === key.id);
  if (own.length === 0) return { refused: 'not signed by this key' };
  const isRight = own.every(({ signature }) => isSignature(signature, note.text, key));
  return isRight ? { text: note.text } : { refused: 'invalid signature' };
}

/**
 * Signs a text. `sign` receives the bytes and resolves to an Ed25519 signature of 64 bytes. Throws a `RangeError` for
 * text that a note cannot contain, and an `Error` if the signature does not match the key.
 */
export async function signNote(
  text: string,
  key: VerifierKey,
  sign: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<string> {
  if (!text.endsWith('\n') || !isPrintable(text))
    throw new RangeError('the text of a note must be printable and end with a line feed');
  const signature = await sign(new TextEncoder().encode(text));
  if (!isSignature(signature, text, key)) throw new Error(`the new signature does not verify with the key ${key.name}`);
  const encoded = Buffer.concat([Buffer.from(key.id, 'hex'), signature]).toString('base64');
  return `${text}\n— ${key.name} ${encoded}\n`;
}

function parseSignature(line: string): NoteSignature | undefined {
  const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = decodeBase64(encoded);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  return { name, keyId: bytes.toString('hex', 0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
}

function isSignature(signature: Uint8Array, text: string, { publicKey }: VerifierKey): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, new TextEncoder().encode(text), key, signature);
}

/** Whether the text is well-formed Unicode without control characters other than line feeds. */
function isPrintable(text: string): boolean {
  return text.isWellFormed() && Array.from(text).every((character) => character >= ' ' || character === '\n');
}
