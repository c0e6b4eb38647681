import type { protos } from '@google-cloud/kms';

/**
 * The value of an enum: its name, or a number if the value is unknown. The types below list only the fields that the
 * emulator reads.
 */
type Enum = string | number;

/** The message google.protobuf.Duration. */
export interface Duration {
  seconds: number;
  nanos: number;
}

/** A CRC32C in a google.protobuf.Int64Value, or `null` if the client sent no checksum. */
export type Checksum = { value: number } | null;

export interface CreateKeyRingRequest {
  parent: string;
  keyRingId: string;
}

export interface GetRequest {
  name: string;
}

export interface ListRequest {
  parent: string;
  pageSize: number;
  pageToken: string;
  filter: string;
  orderBy: string;
}

export interface NewCryptoKey {
  purpose: Enum;
  versionTemplate: { protectionLevel: Enum; algorithm: Enum } | null;
  destroyScheduledDuration: Duration | null;
}

export interface CreateCryptoKeyRequest {
  parent: string;
  cryptoKeyId: string;
  cryptoKey: NewCryptoKey | null;
}

export interface CreateCryptoKeyVersionRequest {
  parent: string;
  cryptoKeyVersion: { state: Enum } | null;
}

export interface UpdateCryptoKeyVersionRequest {
  cryptoKeyVersion: { name: string; state: Enum } | null;
  updateMask: { paths: string[] } | null;
}

export interface UpdateCryptoKeyPrimaryVersionRequest {
  name: string;
  cryptoKeyVersionId: string;
}

export interface EncryptRequest {
  name: string;
  plaintext: Buffer;
  additionalAuthenticatedData: Buffer;
  plaintextCrc32c: Checksum;
  additionalAuthenticatedDataCrc32c: Checksum;
}

export interface DecryptRequest {
  name: string;
  ciphertext: Buffer;
  additionalAuthenticatedData: Buffer;
  ciphertextCrc32c: Checksum;
  additionalAuthenticatedDataCrc32c: Checksum;
}

export interface AsymmetricSignRequest {
  name: string;
  digest: object | null;
  digestCrc32c: Checksum;
  data: Buffer;
  dataCrc32c: Checksum;
}

export interface GetPublicKeyRequest {
  name: string;
  publicKeyFormat: Enum;
}

/** The response types come from the official client, so that the compiler finds misspelled fields. */
export type KeyRingView = protos.google.cloud.kms.v1.IKeyRing;
export type CryptoKeyView = protos.google.cloud.kms.v1.ICryptoKey;
export type CryptoKeyVersionView = protos.google.cloud.kms.v1.ICryptoKeyVersion;
export type ListCryptoKeysResponse = protos.google.cloud.kms.v1.IListCryptoKeysResponse;
export type ListCryptoKeyVersionsResponse = protos.google.cloud.kms.v1.IListCryptoKeyVersionsResponse;
export type EncryptResponse = protos.google.cloud.kms.v1.IEncryptResponse;
export type DecryptResponse = protos.google.cloud.kms.v1.IDecryptResponse;
export type AsymmetricSignResponse = protos.google.cloud.kms.v1.IAsymmetricSignResponse;
export type PublicKeyView = protos.google.cloud.kms.v1.IPublicKey;
