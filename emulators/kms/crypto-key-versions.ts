import type {
  CreateCryptoKeyVersionRequest,
  CryptoKeyVersionView,
  GetRequest,
  ListCryptoKeyVersionsResponse,
  ListRequest,
  UpdateCryptoKeyVersionRequest,
} from './messages.ts';
import type { CryptoKey, CryptoKeyVersion } from './model.ts';
import {
  invalidArgument,
  pageOf,
  parseCryptoKeyName,
  parseVersionName,
  unimplemented,
  versionName,
} from './requests.ts';
import { type Kms, loadCryptoKey, loadVersion, replaceVersion } from './resources.ts';
import { makeVersion, restore, scheduleDestruction, setUsable, viewVersion } from './versions.ts';

const loadNamed = (kms: Kms, field: string, value: string) => {
  const name = parseVersionName(field, value);
  const key = loadCryptoKey(kms, name.cryptoKey);
  return { key, version: loadVersion(kms, key, name.id) };
};

const change = (
  kms: Kms,
  field: string,
  value: string,
  next: (version: CryptoKeyVersion, key: CryptoKey) => CryptoKeyVersion,
) => {
  const { key, version } = loadNamed(kms, field, value);
  return viewVersion(key, replaceVersion(kms, key, next(version, key)));
};

/** Creates the next version. The primary version stays the same. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export const createCryptoKeyVersion = (kms: Kms, request: CreateCryptoKeyVersionRequest): CryptoKeyVersionView => {
  const key = loadCryptoKey(kms, parseCryptoKeyName('parent', request.parent));
  const state = request.cryptoKeyVersion?.state ?? 'ENABLED';
  if (state !== 'ENABLED' && state !== 'CRYPTO_KEY_VERSION_STATE_UNSPECIFIED') {
    throw unimplemented(`new versions in state ${state}`);
  }
  const version = makeVersion(key.versions.length + 1, key, kms.now());
  return viewVersion(key, replaceVersion(kms, key, version));
};

/** Returns a version. Can throw INVALID_ARGUMENT and NOT_FOUND. */
export const getCryptoKeyVersion = (kms: Kms, request: GetRequest): CryptoKeyVersionView => {
  const { key, version } = loadNamed(kms, 'name', request.name);
  return viewVersion(key, version);
};

/**
 * Returns a page of a key's versions. Can throw INVALID_ARGUMENT and NOT_FOUND. Throws UNIMPLEMENTED if the filter is
 * not about states.
 */
export const listCryptoKeyVersions = (kms: Kms, request: ListRequest): ListCryptoKeyVersionsResponse => {
  const key = loadCryptoKey(kms, parseCryptoKeyName('parent', request.parent));
  if (request.orderBy !== '') throw unimplemented('order_by');
  const matchesFilter = parseStateFilter(request.filter);
  const seen = key.versions.map(({ id }) => loadVersion(kms, key, id));
  const { page, nextPageToken, totalSize } = pageOf(seen, request, ({ state }) => matchesFilter(state));
  const cryptoKeyVersions = page.map((version) => viewVersion(key, version));
  return { cryptoKeyVersions, nextPageToken, totalSize };
};

/** Enables or disables a version. Can throw INVALID_ARGUMENT, NOT_FOUND and FAILED_PRECONDITION. */
export const updateCryptoKeyVersion = (kms: Kms, request: UpdateCryptoKeyVersionRequest): CryptoKeyVersionView => {
  const { name, state } = request.cryptoKeyVersion ?? { name: '', state: '' };
  if (request.updateMask?.paths.join() !== 'state') throw invalidArgument('Field update_mask must be "state".');
  if (state !== 'ENABLED' && state !== 'DISABLED') {
    throw invalidArgument('Field crypto_key_version.state must be ENABLED or DISABLED.');
  }
  return change(kms, 'crypto_key_version.name', name, (version) => setUsable(name, version, state));
};

/** Schedules the destruction of a version. Can throw INVALID_ARGUMENT, NOT_FOUND and FAILED_PRECONDITION. */
export const destroyCryptoKeyVersion = (kms: Kms, { name }: GetRequest): CryptoKeyVersionView =>
  change(kms, 'name', name, (version, key) =>
    scheduleDestruction(versionName(key.name, version.id), version, kms.now() + key.destroyScheduledDuration),
  );

/** Cancels the destruction of a version. Can throw INVALID_ARGUMENT, NOT_FOUND and FAILED_PRECONDITION. */
export const restoreCryptoKeyVersion = (kms: Kms, { name }: GetRequest): CryptoKeyVersionView =>
  change(kms, 'name', name, (version) => restore(name, version));

/** Matches a term such as `state=ENABLED`. Spaces around the operator and quotes around the value are optional. */
const TERM = /^state\s*=\s*("?)(\w+)\1$/;

/**
 * Returns a function that says whether a state passes the filter. An empty filter accepts all states. Throws
 * UNIMPLEMENTED for filters that are not about states.
 */
function parseStateFilter(filter: string): (state: CryptoKeyVersion['state']) => boolean {
  if (filter === '') return () => true;
  const terms = filter.trim().split(/\s+OR\s+/);
  const states = terms.map((term) => {
    const state = TERM.exec(term)?.[2];
    if (state === undefined) throw unimplemented(`the filter "${filter}"`);
    return state;
  });
  return (state) => states.includes(state);
}
