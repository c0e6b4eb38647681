import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { makeVerifierKey, type VerifierKey } from '../../../shared/transparency/verifier-key.ts';

/** Who signs notes in a test. */
export interface Signer {
  readonly key: VerifierKey;
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** The 32 bytes of an Ed25519 public key, as the KMS's PEM holds them. */
const publicBytes = (key: KeyObject) =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');

/** A signer of that name, with a new key or a given one. */
export const makeSigner = (name: string, privateKey = generateKeyPairSync('ed25519').privateKey): Signer => ({
  key: makeVerifierKey(name, publicBytes(privateKey)),
  sign: async (bytes) => sign(null, bytes, privateKey),
});

/** The private key of 32 bytes (RFC 8032 §5.1.5), in the frame of RFC 8410 §7. */
export const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
