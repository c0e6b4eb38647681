import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { failedPrecondition } from './kms-error.ts';
import type { Algorithm, CryptoKey } from './model.ts';

export type Purpose = 'ENCRYPT_DECRYPT' | 'ASYMMETRIC_SIGN';

export const PURPOSE_OF: Record<Algorithm, Purpose> = {
  GOOGLE_SYMMETRIC_ENCRYPTION: 'ENCRYPT_DECRYPT',
  EC_SIGN_ED25519: 'ASYMMETRIC_SIGN',
};

/** Generates an AES-256 key, or a key pair. Of a key pair, returns the private key. */
export const generateKey = (algorithm: Algorithm): KeyObject =>
  algorithm === 'EC_SIGN_ED25519' ? generateKeyPairSync('ed25519').privateKey : createSecretKey(randomBytes(32));

/** Throws FAILED_PRECONDITION if the key has a purpose other than `purpose`. */
export const refuseOtherPurpose = (key: CryptoKey, purpose: Purpose): void => {
  if (PURPOSE_OF[key.algorithm] === purpose) return;
  throw failedPrecondition(
    `${key.name} has purpose ${PURPOSE_OF[key.algorithm]}, which cannot be used where ${purpose} is needed.`,
  );
};
