import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { formatCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { type Entry, encodeEntry } from '../../../shared/transparency/entry.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import type { Seal } from '../../../shared/transparency/seal.ts';
import { CompactRange, encodeHash, hashLeaf } from '../../../shared/transparency/tree.ts';
import { makeVerifierKey, type VerifierKey } from '../../../shared/transparency/verifier-key.ts';

/** A signer of notes. */
export interface Signer {
  readonly key: VerifierKey;
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** Returns the 32 bytes of an Ed25519 public key. */
const publicBytes = (key: KeyObject) =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');

/** Returns a signer with this name, and with a new key unless a key is given. */
export const makeSigner = (name: string, privateKey = generateKeyPairSync('ed25519').privateKey): Signer => ({
  key: makeVerifierKey(name, publicBytes(privateKey)),
  sign: async (bytes) => sign(null, bytes, privateKey),
});

/** Returns the private key for a seed of 32 bytes (RFC 8032 §5.1.5), encoded as in RFC 8410 §7. */
export const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });

/** A seal, with the log entries and the audit rows of its period. A missing entry is `undefined`. */
export interface Sealed {
  seal: Seal;
  entries: (Entry | undefined)[];
  rows: Entry[];
}

const minute = (at: number) => `2026-11-20T12:${String(at).padStart(2, '0')}:00.000000Z`;

/** Makes event number `position` in the ten-minute period number `period`. Both numbers start at 0. */
export const anEvent = (
  period: number,
  position: number,
  change: Partial<Record<string, string | null>> = {},
): Entry => ({
  id: `00000000-0000-4000-8000-${String(period * 100 + position).padStart(12, '0')}`,
  ts: `2026-11-20T12:${String(period * 10 + 1).padStart(2, '0')}:00.${String(position).padStart(6, '0')}Z`,
  operation: 'encrypt',
  result: 'success',
  error_code: null,
  request_id: 'r',
  key_id: '11111111-1111-4111-8111-111111111111',
  api_key_id: null,
  user_id: null,
  // An earlier release stored the events of the first period.
  ...(period > 0 && { changes: position % 2 === 0 ? null : [{ field: 'name', before: null, after: 'é' }] }),
  ...Object.fromEntries(Object.entries(change).map(([field, value]) => [field, value ?? null])),
});

/** Returns a log as the service makes it. Each number in `counts` is the number of events in a seal of ten minutes. */
export const makeLog = async (counts: readonly number[], signer: Signer = makeSigner('example.com/log')) => {
  const tree = CompactRange.empty();
  const log: Sealed[] = [];
  for (const [index, count] of counts.entries()) {
    const entries = Array.from({ length: count }, (_, position) => anEvent(index, position));
    const first_entry = tree.size;
    for (const entry of entries) tree.append(hashLeaf(encodeEntry(entry)));
    const [size, root] = [tree.size, encodeHash(tree.root())];
    const text = formatCheckpoint({ origin: signer.key.name, size, root });
    const checkpoint = await signNote(text, signer.key, signer.sign);
    const period = { from: minute(index * 10), until: minute(index * 10 + 10) };
    const seal = { index, ...period, first_entry, entries: count, size, root, checkpoint };
    log.push({ seal, entries, rows: [...entries].reverse() });
  }
  return { log, signer };
};
