import { createPublicKey, sign } from 'node:crypto';
import { refuseOtherPurpose } from './algorithms.ts';
import { crc32c, verifyChecksum } from './crc32c.ts';
import { invalidArgument, unimplemented } from './kms-error.ts';
import type { AsymmetricSignRequest, AsymmetricSignResponse, GetPublicKeyRequest, PublicKeyView } from './messages.ts';
import { parseVersionName } from './names.ts';
import { type Kms, loadCryptoKey, loadVersion } from './resources.ts';
import { loadEnabledKey } from './version-states.ts';

/** Signs `data` with Ed25519 (RFC 8032). Can throw INVALID_ARGUMENT, NOT_FOUND and FAILED_PRECONDITION. */
export const asymmetricSign = (kms: Kms, request: AsymmetricSignRequest): AsymmetricSignResponse => {
  const { name, data, digest, digestCrc32c } = request;
  const target = parseVersionName('name', name);
  const verifiedDataCrc32c = verifyChecksum('data', data, request.dataCrc32c);
  const key = loadCryptoKey(kms, target.cryptoKey);
  const version = loadVersion(kms, key, target.id);
  refuseOtherPurpose(key, 'ASYMMETRIC_SIGN');
  const privateKey = loadEnabledKey(name, version);
  if (digest !== null || digestCrc32c !== null)
    throw invalidArgument(`${key.algorithm} signs data, not a digest of it.`);
  // In the protocol, empty data cannot be distinguished from a missing field.
  if (data.length === 0) throw invalidArgument('Missing value in field data.');
  const signature = sign(null, data, privateKey);
  return {
    name,
    signature,
    signatureCrc32c: { value: crc32c(signature) },
    verifiedDataCrc32c,
    verifiedDigestCrc32c: false,
    protectionLevel: key.protectionLevel,
  };
};

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
