import { randomBytes } from 'node:crypto';
import { PURPOSE_OF, refuseOtherPurpose } from './algorithms.ts';
import { parseKeySettings } from './key-settings.ts';
import { alreadyExists, unimplemented } from './kms-error.ts';
import type {
  CreateCryptoKeyRequest,
  CreateKeyRingRequest,
  CryptoKeyView,
  GetRequest,
  KeyRingView,
  ListCryptoKeysResponse,
  ListRequest,
  UpdateCryptoKeyPrimaryVersionRequest,
} from './messages.ts';
import type { CryptoKey } from './model.ts';
import {
  parseCryptoKeyName,
  parseId,
  parseKeyRingName,
  parseLocationName,
  parseVersionId,
  versionName,
} from './names.ts';
import { pageOf } from './paging.ts';
import { findVersion, type Kms, loadCryptoKey, loadKeyRing, loadVersion } from './resources.ts';
import { loadEnabledKey, makeVersion } from './version-states.ts';
import { viewCryptoKey, viewKeyRing } from './views.ts';

const viewNow = (kms: Kms, key: CryptoKey) =>
  viewCryptoKey(key, key.primary === null ? undefined : findVersion(kms, key, key.primary));

/**
 * Creates a key. Also creates its first version, unless the request forbids it. Can throw INVALID_ARGUMENT, NOT_FOUND
 * and ALREADY_EXISTS.
 */
export const createCryptoKey = (kms: Kms, request: CreateCryptoKeyRequest): CryptoKeyView => {
  const keyRing = loadKeyRing(kms, parseKeyRingName('parent', request.parent));
  const name = `${keyRing.name}/cryptoKeys/${parseId('crypto_key_id', request.cryptoKeyId)}`;
  const settings = parseKeySettings(request.cryptoKey);
  if (kms.cryptoKeys.has(name)) throw alreadyExists('CryptoKey', name);
  const createTime = kms.now();
  const first = request.skipInitialVersionCreation ? undefined : makeVersion(1, settings, createTime);
  const hasPrimary = PURPOSE_OF[settings.algorithm] === 'ENCRYPT_DECRYPT';
  const key: CryptoKey = {
    name,
    uid: randomBytes(16),
    createTime,
    ...settings,
    primary: (hasPrimary ? first?.id : undefined) ?? null,
    versions: first === undefined ? [] : [first],
  };
  kms.cryptoKeys.set(name, key);
  kms.changed();
  return viewCryptoKey(key, hasPrimary ? first : undefined);
};

/** Returns a key. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export const getCryptoKey = (kms: Kms, request: GetRequest): CryptoKeyView =>
  viewNow(kms, loadCryptoKey(kms, parseCryptoKeyName('name', request.name)));

/**
 * Returns a page of a key ring's keys. Can throw INVALID_ARGUMENT and NOT_FOUND. Throws UNIMPLEMENTED if the request
 * has a filter or an order.
 */
export const listCryptoKeys = (kms: Kms, request: ListRequest): ListCryptoKeysResponse => {
  const keyRing = loadKeyRing(kms, parseKeyRingName('parent', request.parent));
  if (request.filter !== '' || request.orderBy !== '') throw unimplemented('filter and order_by of keys');
  const keys = [...kms.cryptoKeys.values()].filter((key) => key.name.startsWith(`${keyRing.name}/`));
  const { page, nextPageToken, totalSize } = pageOf(keys, request);
  return { cryptoKeys: page.map((key) => viewNow(kms, key)), nextPageToken, totalSize };
};

/**
 * Makes a version the primary version of its key. Can throw INVALID_ARGUMENT and NOT_FOUND. Throws FAILED_PRECONDITION
 * if the key is for signing or the version is not enabled.
 */
export const updateCryptoKeyPrimaryVersion = (
  kms: Kms,
  request: UpdateCryptoKeyPrimaryVersionRequest,
): CryptoKeyView => {
  const key = loadCryptoKey(kms, parseCryptoKeyName('name', request.name));
  refuseOtherPurpose(key, 'ENCRYPT_DECRYPT');
  const version = loadVersion(kms, key, parseVersionId('crypto_key_version_id', request.cryptoKeyVersionId));
  loadEnabledKey(versionName(key.name, version.id), version);
  key.primary = version.id;
  kms.changed();
  return viewCryptoKey(key, version);
};

/** Creates a key ring. Can throw INVALID_ARGUMENT and ALREADY_EXISTS. */
export function createKeyRing(kms: Kms, request: CreateKeyRingRequest): KeyRingView {
  const location = parseLocationName('parent', request.parent);
  const name = `${location}/keyRings/${parseId('key_ring_id', request.keyRingId)}`;
  if (kms.keyRings.has(name)) throw alreadyExists('KeyRing', name);
  const keyRing = { name, createTime: kms.now() };
  kms.keyRings.set(name, keyRing);
  kms.changed();
  return viewKeyRing(keyRing);
}

/** Returns a key ring. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export function getKeyRing(kms: Kms, request: GetRequest): KeyRingView {
  return viewKeyRing(loadKeyRing(kms, parseKeyRingName('name', request.name)));
}
