import type { KeyObject } from 'node:crypto';
import { idBytes } from '../base/ids.ts';
import type { Backend } from '../crypto/limits.ts';
import { openMessage, readVersion, sealMessage } from '../crypto/message.ts';
import { ApiError, notFound } from '../errors.ts';
import type { CipherServices } from '../services.ts';
import { refusePending } from './guards.ts';
import { isLive, KEYS, type Key, type KeyVersion, primaryVersion } from './key.ts';

export function backendOf(key: Key): Backend {
  return primaryVersion(key).material.kind === 'data_key' ? 'data_key' : 'crypto_key';
}

export interface Sealed {
  readonly ciphertext: Buffer;
  readonly version: number;
}

export interface Opened {
  readonly plaintext: Buffer;
  /** Whether a version other than the primary decrypted the ciphertext. */
  readonly usedOlder: boolean;
}

/**
 * Encrypts with the primary version. Retries with the new primary if a rotation retires the version. Throws
 * `unavailable` if the quota of KMS operations is used up, and `not_found` or `key_pending_deletion` if the key is
 * destroyed or deleted meanwhile.
 */
export async function seal(
  services: CipherServices,
  key: Key,
  plaintext: Uint8Array,
  aad: Uint8Array,
): Promise<Sealed> {
  const primary = primaryVersion(key);
  const { material } = primary;
  if (material.kind === 'crypto_key_version') {
    await services.kmsOperations.takeForOwnKey(key.tenant_id);
    // Name the version, because the KMS switches to a new primary version with a delay.
    const ciphertext = await services.kms.encrypt(material.name, plaintext, withTenant(key, aad));
    if (ciphertext === undefined) return seal(services, await loadChanged(services, key), plaintext, aad);
    return { ciphertext, version: primary.version };
  }
  const dataKey = await unwrapDataKey(services, key, primary);
  const ciphertext = sealMessage(dataKey, primary.version, { tenantId: key.tenant_id, keyId: key.id, aad }, plaintext);
  return { ciphertext, version: primary.version };
}

/** Decrypts. Throws `invalid_ciphertext` or `unavailable`, or the same errors as {@link seal} for a deleted key. */
export async function open(services: CipherServices, key: Key, ciphertext: Buffer, aad: Uint8Array): Promise<Opened> {
  if (backendOf(key) === 'data_key') return openUnderDataKey(services, key, ciphertext, aad);
  await services.kmsOperations.takeForOwnKey(key.tenant_id);
  const opened = await services.kms.decrypt(services.kms.cryptoKey(key.id), ciphertext, withTenant(key, aad));
  if (opened !== undefined) return { plaintext: opened.plaintext, usedOlder: !opened.usedPrimary };
  await loadAgain(services, key);
  throw invalidCiphertext();
}

async function loadAgain(services: CipherServices, before: Key): Promise<Key> {
  const key = await services.store.find(KEYS, before.id);
  if (key === undefined || !isLive(key)) throw notFound();
  refusePending(key, services.clock);
  return key;
}

async function loadChanged(services: CipherServices, before: Key): Promise<Key> {
  const key = await loadAgain(services, before);
  if (key.primary_version === before.primary_version) throw new Error('the primary version is not enabled in the KMS');
  return key;
}

export function invalidCiphertext(): ApiError {
  return new ApiError('invalid_ciphertext', 'the value cannot be decrypted with this key and aad');
}

async function openUnderDataKey(
  services: CipherServices,
  key: Key,
  ciphertext: Buffer,
  aad: Uint8Array,
): Promise<Opened> {
  const named = readVersion(ciphertext);
  const version = key.versions.find((candidate) => candidate.version === named && candidate.state === 'enabled');
  if (version === undefined) throw invalidCiphertext();
  const dataKey = await unwrapDataKey(services, key, version);
  const plaintext = openMessage(dataKey, { tenantId: key.tenant_id, keyId: key.id, aad }, ciphertext);
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
