import type { KeyObject } from 'node:crypto';
import { type Clock, SECOND_US, type startStopwatch } from '../base/clock.ts';
import { idBytes } from '../base/ids.ts';
import type { DataKeyCache } from '../crypto/data-key-cache.ts';
import type { Backend } from '../crypto/limits.ts';
import { decryptMessage, encryptMessage, readVersion } from '../crypto/message.ts';
import { ApiError, notFound } from '../errors.ts';
import type { Kms } from '../kms/kms.ts';
import type { KmsOperations } from '../kms/kms-operations.ts';
import type { Store } from '../store/store.ts';
import { refusePending } from './guards.ts';
import { isLive, KEYS, type Key, type KeyVersion, primaryVersion } from './key.ts';

/** What encrypts and decrypts with keys. */
export interface CipherServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly startStopwatch: typeof startStopwatch;
  readonly kms: Kms;
  readonly kmsOperations: KmsOperations;
  /** `undefined` if no wrapped root is configured. */
  readonly dataKeys: DataKeyCache | undefined;
}

const HALF_SECOND_US = SECOND_US / 2;

export function backendOf(key: Key): Backend {
  return primaryVersion(key).material.kind === 'data_key' ? 'data_key' : 'crypto_key';
}

export interface Encrypted {
  readonly ciphertext: Buffer;
  readonly version: number;
}

export interface Decrypted {
  readonly plaintext: Buffer;
  /** Whether a version other than the primary decrypted the ciphertext. */
  readonly usedOlder: boolean;
}

/**
 * Encrypts with the primary version. Returns `undefined` if the KMS refuses the version. Throws `unavailable` if the
 * quota of KMS operations is used up.
 */
export async function encrypt(
  services: CipherServices,
  key: Key,
  plaintext: Uint8Array,
  aad: Uint8Array,
): Promise<Encrypted | undefined> {
  const primary = primaryVersion(key);
  const { material, version } = primary;
  if (material.kind === 'crypto_key_version') {
    await services.kmsOperations.takeForOwnKey(key.tenant_id);
    // Name the version, because the KMS switches to a new primary version with a delay.
    const ciphertext = await services.kms.encrypt(material.name, plaintext, withTenant(key, aad));
    return ciphertext && { ciphertext, version };
  }
  const dataKey = await unwrapDataKey(services, key, primary);
  const ciphertext = encryptMessage(dataKey, version, { tenantId: key.tenant_id, keyId: key.id, aad }, plaintext);
  return { ciphertext, version };
}

/** Decrypts. Throws `invalid_ciphertext` or `unavailable`, or the errors of {@link readAgain}. */
export async function decrypt(
  services: CipherServices,
  key: Key,
  ciphertext: Buffer,
  aad: Uint8Array,
): Promise<Decrypted> {
  if (backendOf(key) === 'data_key') return decryptUnderDataKey(services, key, ciphertext, aad);
  await services.kmsOperations.takeForOwnKey(key.tenant_id);
  const decrypted = await services.kms.decrypt(services.kms.cryptoKey(key.id), ciphertext, withTenant(key, aad));
  if (decrypted !== undefined) return { plaintext: decrypted.plaintext, usedOlder: !decrypted.usedPrimary };
  await readAgain(services, key);
  throw invalidCiphertext();
}

/**
 * Reads a key during an operation. Throws `not_found` if it is destroyed, and `key_pending_deletion` if its destruction
 * is less than half a second away. Until then, the key could be restored, so that its ciphertext can be decrypted.
 */
export async function readAgain({ store, clock }: Pick<CipherServices, 'store' | 'clock'>, { id }: Key): Promise<Key> {
  const key = await store.find(KEYS, id);
  if (key === undefined || !isLive(key)) throw notFound();
  const { destroy_after, destroying } = key;
  const isDue = destroy_after !== null && destroy_after < clock.now() + HALF_SECOND_US;
  if (isDue || destroying) refusePending(key, clock);
  return key;
}

export function invalidCiphertext(): ApiError {
  return new ApiError(
    'invalid_ciphertext',
    'the value cannot be decrypted: it was altered, was encrypted with another key or aad (context), or was encrypted under a version that a rotation destroyed',
  );
}

async function decryptUnderDataKey(
  services: CipherServices,
  key: Key,
  ciphertext: Buffer,
  aad: Uint8Array,
): Promise<Decrypted> {
  const named = readVersion(ciphertext);
  const version = key.versions.find((candidate) => candidate.version === named && candidate.state === 'enabled');
  if (version === undefined) throw invalidCiphertext();
  const dataKey = await unwrapDataKey(services, key, version);
  const plaintext = decryptMessage(dataKey, { tenantId: key.tenant_id, keyId: key.id, aad }, ciphertext);
  if (plaintext === undefined) throw invalidCiphertext();
  return { plaintext, usedOlder: named !== key.primary_version };
}

function unwrapDataKey(services: CipherServices, key: Key, { version, material }: KeyVersion): Promise<KeyObject> {
  if (material.kind !== 'data_key' || material.wrapped === null) throw new Error(`key ${key.id} has no data key`);
  if (services.dataKeys === undefined) throw new Error(`key ${key.id} needs WRAPPED_ROOT, which is not set`);
  return services.dataKeys.unwrap({ tenantId: key.tenant_id, keyId: key.id, version }, material.wrapped);
}

function withTenant(key: Key, aad: Uint8Array): Buffer {
  return Buffer.concat([idBytes(key.tenant_id), aad]);
}
