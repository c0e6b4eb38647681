import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
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
