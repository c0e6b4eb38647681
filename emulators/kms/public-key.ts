import { createPublicKey } from 'node:crypto';
import { refuseOtherPurpose } from './algorithms.ts';
import { crc32c } from './crc32c.ts';
import { unimplemented } from './kms-error.ts';
import type { GetPublicKeyRequest, PublicKeyView } from './messages.ts';
import { parseVersionName } from './names.ts';
import { type Kms, loadCryptoKey, loadVersion } from './resources.ts';
import { loadEnabledKey } from './version-states.ts';

/**
 * Returns a public key as PEM (RFC 7468 §13). Can throw INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION and
 * UNIMPLEMENTED.
 */
export const getPublicKey = (kms: Kms, { name, publicKeyFormat }: GetPublicKeyRequest): PublicKeyView => {
  const target = parseVersionName('name', name);
  const key = loadCryptoKey(kms, target.cryptoKey);
  const version = loadVersion(kms, key, target.id);
  refuseOtherPurpose(key, 'ASYMMETRIC_SIGN');
  const privateKey = loadEnabledKey(name, version);
  if (publicKeyFormat !== 'PUBLIC_KEY_FORMAT_UNSPECIFIED') throw unimplemented(`public key format ${publicKeyFormat}`);
  const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return {
    name,
    pem,
    pemCrc32c: { value: crc32c(Buffer.from(pem)) },
    algorithm: key.algorithm,
    protectionLevel: key.protectionLevel,
  };
};
