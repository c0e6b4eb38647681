import { createHash } from 'node:crypto';
import { decodeBase64 } from '../base/base64.ts';

/** C2SP signed-note's type for Ed25519, the only one supported. */
const ED25519 = 0x01;
const PUBLIC_KEY_BYTES = 32;

/** A key that verifies notes (C2SP signed-note, "Verifier keys"). */
export interface VerifierKey {
  /** The key's name, for example `example.com/log`. It is not empty and has no white space or plus signs. */
  readonly name: string;
  /** Eight hex digits. The id is not a fingerprint: anyone can make a key with the same id. */
  readonly id: string;
  /** 32 bytes (RFC 8032 §5.1.5). */
  readonly publicKey: Uint8Array;
}

/** Throws a `RangeError` for a malformed name, or a public key that does not have 32 bytes. */
export function makeVerifierKey(name: string, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name))
    throw new RangeError('a verifier key name must not be empty or contain white space or a plus sign');
  if (publicKey.length !== PUBLIC_KEY_BYTES)
    throw new RangeError(`not an Ed25519 public key: ${publicKey.length} bytes`);
  const hash = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(ED25519)).update(publicKey).digest('hex');
  return { name, id: hash.slice(0, 8), publicKey };
}

/** Returns `<name>+<id>+<base64 of signature type and public key>`. */
export function formatVerifierKey({ name, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${Buffer.from([ED25519, ...publicKey]).toString('base64')}`;
}

/** Parses a verifier key. Returns `undefined` if the text is malformed, or the id or type is wrong. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const { name = '', encoded = '' } = /^(?<name>[^+]+)\+[0-9a-f]{8}\+(?<encoded>.+)$/.exec(text)?.groups ?? {};
  const [type, ...publicKey] = decodeBase64(encoded) ?? [];
  if (type !== ED25519 || publicKey.length !== PUBLIC_KEY_BYTES || !isKeyName(name)) return undefined;
  const key = makeVerifierKey(name, Uint8Array.from(publicKey));
  return formatVerifierKey(key) === text ? key : undefined;
}

/** Whether the text is not empty, is well-formed Unicode, and has no white space or plus sign. */
export function isKeyName(text: string): boolean {
  return text.isWellFormed() && /^[^\p{White_Space}+]+$/u.test(text);
}
