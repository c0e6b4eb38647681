import { refuseOtherPurpose } from './algorithms.ts';
import { decodeHeader, open, seal } from './cipher.ts';
import { crc32c, verifyChecksum } from './crc32c.ts';
import { invalidArgument } from './kms-error.ts';
import type { DecryptRequest, DecryptResponse, EncryptRequest, EncryptResponse } from './messages.ts';
import type { ProtectionLevel } from './model.ts';
import { parseCryptoKeyName, parseEncryptName, versionName } from './names.ts';
import { findVersion, type Kms, loadCryptoKey, loadPrimaryId, loadVersion } from './resources.ts';
import { loadEnabledKey } from './version-states.ts';

const SOFTWARE_LIMIT_BYTES = 65_536;
const HSM_COMBINED_LIMIT_BYTES = 8_192;

/**
 * Throws INVALID_ARGUMENT if the plaintext or the additional data is too large. The limits are from the comments on
 * EncryptRequest in Google's API definition. An empty plaintext is allowed.
 */
const refuseTooLarge = (protectionLevel: ProtectionLevel, plaintextBytes: number, aadBytes: number) => {
  if (protectionLevel === 'HSM') {
    if (plaintextBytes + aadBytes <= HSM_COMBINED_LIMIT_BYTES) return;
    throw invalidArgument('plaintext and additional_authenticated_data together must be no larger than 8192 bytes.');
  }
  if (plaintextBytes > SOFTWARE_LIMIT_BYTES) throw invalidArgument('plaintext must be no larger than 65536 bytes.');
  if (aadBytes > SOFTWARE_LIMIT_BYTES) {
    throw invalidArgument('additional_authenticated_data must be no larger than 65536 bytes.');
  }
};

/**
 * Encrypts with the version that the request names, or with the key's primary version. Can throw INVALID_ARGUMENT,
 * NOT_FOUND and FAILED_PRECONDITION.
 */
export const encrypt = (kms: Kms, request: EncryptRequest): EncryptResponse => {
  const { name, plaintext, additionalAuthenticatedData: aad } = request;
  const target = parseEncryptName('name', name);
  const verifiedPlaintextCrc32c = verifyChecksum('plaintext', plaintext, request.plaintextCrc32c);
  const verifiedAdditionalAuthenticatedDataCrc32c = verifyChecksum(
    'additional_authenticated_data',
    aad,
    request.additionalAuthenticatedDataCrc32c,
  );
  const key = loadCryptoKey(kms, target.cryptoKey);
  refuseOtherPurpose(key, 'ENCRYPT_DECRYPT');
  refuseTooLarge(key.protectionLevel, plaintext.length, aad.length);
  const version = loadVersion(kms, key, target.id ?? loadPrimaryId(key));
  const usedName = versionName(key.name, version.id);
  const secret = loadEnabledKey(usedName, version);
  const ciphertext = seal(secret, { uid: key.uid, version: version.id }, plaintext, aad);
  return {
    name: usedName,
    ciphertext,
    ciphertextCrc32c: { value: crc32c(ciphertext) },
    verifiedPlaintextCrc32c,
    verifiedAdditionalAuthenticatedDataCrc32c,
    protectionLevel: key.protectionLevel,
  };
};

const failed = (reason: string) => invalidArgument(`Decryption failed: ${reason}`);

/**
 * Decrypts with the version that the ciphertext names. Can throw INVALID_ARGUMENT, NOT_FOUND and FAILED_PRECONDITION.
 */
export const decrypt = (kms: Kms, request: DecryptRequest): DecryptResponse => {
  const { name, ciphertext, additionalAuthenticatedData: aad } = request;
  const cryptoKey = parseCryptoKeyName('name', name);
  verifyChecksum('ciphertext', ciphertext, request.ciphertextCrc32c);
  verifyChecksum('additional_authenticated_data', aad, request.additionalAuthenticatedDataCrc32c);
  const key = loadCryptoKey(kms, cryptoKey);
  refuseOtherPurpose(key, 'ENCRYPT_DECRYPT');
  const header = decodeHeader(ciphertext);
  if (header === undefined) throw failed('the ciphertext is invalid.');
  if (!header.uid.equals(key.uid)) throw failed("verify that 'name' refers to the correct CryptoKey.");
  const version = findVersion(kms, key, header.version);
  if (version === undefined) throw failed('the ciphertext is invalid.');
  const plaintext = open(loadEnabledKey(versionName(key.name, version.id), version), ciphertext, aad);
  if (plaintext === undefined) {
    throw failed("verify that 'ciphertext' and 'additional_authenticated_data' are correct.");
  }
  return {
    plaintext,
    plaintextCrc32c: { value: crc32c(plaintext) },
    usedPrimary: key.primary === version.id,
    protectionLevel: key.protectionLevel,
  };
};
