import { createCipheriv, createDecipheriv, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AsymmetricSignRequest,
  AsymmetricSignResponse,
  DecryptRequest,
  DecryptResponse,
  EncryptRequest,
  EncryptResponse,
  GetPublicKeyRequest,
  PublicKeyView,
} from './messages.ts';
import type { ProtectionLevel } from './model.ts';
import {
  crc32c,
  invalidArgument,
  parseCryptoKeyName,
  parseEncryptName,
  parseVersionName,
  unimplemented,
  verifyChecksum,
  versionName,
} from './requests.ts';
import { findVersion, type Kms, loadCryptoKey, loadPrimaryId, loadVersion } from './resources.ts';
import { loadEnabledKey, refuseOtherPurpose } from './versions.ts';

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

const FORMAT = 0x01;
const UID_LENGTH = 16;
const HEADER_LENGTH = 1 + UID_LENGTH + 4;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

interface CiphertextHeader {
  readonly uid: Buffer;
  readonly version: number;
}

function encodeHeader({ uid, version }: CiphertextHeader): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt8(FORMAT, 0);
  uid.copy(header, 1);
  header.writeUInt32BE(version, 1 + UID_LENGTH);
  return header;
}

/** Returns the header of a ciphertext, or `undefined` if the ciphertext is malformed. */
function decodeHeader(ciphertext: Buffer): CiphertextHeader | undefined {
  if (ciphertext.length < HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH || ciphertext[0] !== FORMAT) return undefined;
  return { uid: ciphertext.subarray(1, 1 + UID_LENGTH), version: ciphertext.readUInt32BE(1 + UID_LENGTH) };
}

/**
 * Encrypts with AES-256-GCM. Returns the header, the nonce, the ciphertext and the tag, one after another. The tag also
 * authenticates the header and `aad`.
 */
function seal(key: KeyObject, { uid, version }: CiphertextHeader, plaintext: Buffer, aad: Buffer): Buffer {
  const header = encodeHeader({ uid, version });
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
  cipher.setAAD(Buffer.concat([header, aad]));
  const body = cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([header, nonce, body, cipher.getAuthTag()]);
}

/**
 * Decrypts a ciphertext. Returns `undefined` if authentication fails. The caller must first check the header with
 * {@link decodeHeader}.
 */
function open(key: KeyObject, ciphertext: Buffer, aad: Buffer): Buffer | undefined {
  const header = ciphertext.subarray(0, HEADER_LENGTH);
  const nonce = ciphertext.subarray(HEADER_LENGTH, HEADER_LENGTH + NONCE_LENGTH);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(Buffer.concat([header, aad]));
  decipher.setAuthTag(ciphertext.subarray(-TAG_LENGTH));
  const plaintext = decipher.update(ciphertext.subarray(HEADER_LENGTH + NONCE_LENGTH, -TAG_LENGTH));
  try {
    decipher.final();
    return plaintext;
  } catch {
    return undefined;
  }
}

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
