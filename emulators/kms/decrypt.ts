import { refuseOtherPurpose } from './algorithms.ts';
import { verifyChecksum } from './checksums.ts';
import { decodeHeader, open } from './cipher.ts';
import { crc32c } from './crc32c.ts';
import { invalidArgument } from './kms-error.ts';
import type { DecryptRequest, DecryptResponse } from './messages.ts';
import { parseCryptoKeyName, versionName } from './names.ts';
import { findVersion, type Kms, loadCryptoKey } from './resources.ts';
import { loadEnabledKey } from './version-states.ts';

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
