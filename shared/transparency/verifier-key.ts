import { createHash } from 'node:crypto';
import { decodeBase64 } from '../base/base64.ts';

/** The type of signature that C2SP signed-note calls Ed25519, the only one here. */
const ED25519 = 0x01;
const PUBLIC_KEY_BYTES = 32;

/** What signatures of notes are verified with (C2SP signed-note, "Verifier keys"). */
export interface VerifierKey {
  /** Whose key it is, for example `example.com/log`: not empty, without white space and plus signs. */
  readonly name: string;
  /** Eight hex digits that tell it from other keys of that name; no fingerprint, anyone can make a key that has the same. */
  readonly id: string;
  /** 32 bytes (RFC 8032 §5.1.5). */
  readonly publicKey: Uint8Array;
}

/** The key of that name. Throws a `RangeError` for a name that cannot be one, and unless the public key has 32 bytes. */
export function makeVerifierKey(name: string, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name))
    throw new RangeError('a verifier key name must not be empty or contain white space or a plus sign');
  if (publicKey.length !== PUBLIC_KEY_BYTES)
    throw new RangeError(`not an Ed25519 public key: ${publicKey.length} bytes`);
  const hash = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(ED25519)).update(publicKey).digest('hex');
  return { name, id: hash.slice(0, 8), publicKey };
}

/** `<name>+<id>+<base64 of signature type and public key>`. */
export function formatVerifierKey({ name, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${Buffer.from([ED25519, ...publicKey]).toString('base64')}`;
}

/** The key that {@link formatVerifierKey} wrote; `undefined` for any other text, one with another id or type included. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const { name = '', encoded = '' } = /^(?<name>[^+]+)\+[0-9a-f]{8}\+(?<encoded>.+)$/.exec(text)?.groups ?? {};
  const [type, ...publicKey] = decodeBase64(encoded) ?? [];
  if (type !== ED25519 || publicKey.length !== PUBLIC_KEY_BYTES || !isKeyName(name)) return undefined;
  const key = makeVerifierKey(name, Uint8Array.from(publicKey));
  return formatVerifierKey(key) === text ? key : undefined;
}

/** Whether a key may have this name: valid Unicode, not empty, no white space, no plus sign. */
export function isKeyName(text: string): boolean {
  return text.isWellFormed() && /^[^\p{White_Space}+]+$/u.test(text);
}
