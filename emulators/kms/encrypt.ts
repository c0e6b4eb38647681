import { refuseOtherPurpose } from './algorithms.ts';
import { verifyChecksum } from './checksums.ts';
import { seal } from './cipher.ts';
import { crc32c } from './crc32c.ts';
import { invalidArgument } from './kms-error.ts';
import type { EncryptRequest, EncryptResponse } from './messages.ts';
import type { ProtectionLevel } from './model.ts';
import { parseEncryptName, versionName } from './names.ts';
import { type Kms, loadCryptoKey, loadPrimaryId, loadVersion } from './resources.ts';
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
