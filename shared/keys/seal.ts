import type { KeyObject } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { idBytes } from '../base/ids.ts';
import type { DataKeys } from '../crypto/data-keys.ts';
import type { Backend } from '../crypto/limits.ts';
import { openMessage, readVersion, sealMessage } from '../crypto/message.ts';
import { ApiError, notFound } from '../errors.ts';
import type { Kms } from '../kms/kms.ts';
import type { Store } from '../store/store.ts';
import { refusePending } from './guards.ts';
import { isLive, KEYS, type Key, type KeyVersion, primaryVersion } from './key.ts';

export interface CipherNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly kms: Kms;
  readonly dataKeys: DataKeys | undefined;
}

export function backendOf(key: Key): Backend {
  return primaryVersion(key).material.kind === 'data_key' ? 'data_key' : 'crypto_key';
}

/** A ciphertext, and the number of the version that it was made under. */
export interface Sealed {
  readonly ciphertext: Buffer;
  readonly version: number;
}

/**
 * Encrypts under the primary version, bound to the tenant, the key and `aad`. If that version was retired meanwhile,
 * reloads the key and uses its new primary, or throws as for a destroyed or pending key.
 */
export async function seal(needs: CipherNeeds, key: Key, plaintext: Uint8Array, aad: Uint8Array): Promise<Sealed> {
  const primary = primaryVersion(key);
  const { material } = primary;
  if (material.kind === 'crypto_key_version') {
    // A CryptoKey's change of primary reaches the KMS's replicas late, so the version is named.
    const ciphertext = await needs.kms.encrypt(material.name, plaintext, withTenant(key, aad));
    if (ciphertext === undefined) return seal(needs, await loadChanged(needs, key), plaintext, aad);
    return { ciphertext, version: primary.version };
  }
  const dataKey = await unwrapDataKey(needs, key, primary);
  const ciphertext = sealMessage(dataKey, primary.version, { tenantId: key.tenant_id, keyId: key.id, aad }, plaintext);
  return { ciphertext, version: primary.version };
}

/** Throws `invalid_ciphertext`, or what the key refuses if it was destroyed or became pending meanwhile. */
export async function open(needs: CipherNeeds, key: Key, ciphertext: Buffer, aad: Uint8Array): Promise<Buffer> {
  if (backendOf(key) === 'data_key') return openUnderDataKey(needs, key, ciphertext, aad);
  const plaintext = await needs.kms.decrypt(needs.kms.cryptoKey(key.id), ciphertext, withTenant(key, aad));
  if (plaintext !== undefined) return plaintext;
  await loadAgain(needs, key);
  throw invalidCiphertext();
}

async function loadAgain(needs: CipherNeeds, before: Key): Promise<Key> {
  const key = await needs.store.find(KEYS, before.id);
  if (key === undefined || !isLive(key)) throw notFound();
  refusePending(key, needs.clock);
  return key;
}

async function loadChanged(needs: CipherNeeds, before: Key): Promise<Key> {
  const key = await loadAgain(needs, before);
  if (key.primary_version === before.primary_version) throw new Error('the primary version is not enabled in the KMS');
  return key;
}

/** A `400` with one message for every reason. */
export function invalidCiphertext(): ApiError {
  return new ApiError('invalid_ciphertext', 'the value cannot be opened with this key and aad');
}

async function openUnderDataKey(needs: CipherNeeds, key: Key, ciphertext: Buffer, aad: Uint8Array): Promise<Buffer> {
  const named = readVersion(ciphertext);
  const version = key.versions.find((candidate) => candidate.version === named && candidate.state === 'enabled');
  if (version === undefined) throw invalidCiphertext();
  const dataKey = await unwrapDataKey(needs, key, version);
  const plaintext = openMessage(dataKey, { tenantId: key.tenant_id, keyId: key.id, aad }, ciphertext);
  if (plaintext === undefined) throw invalidCiphertext();
  return plaintext;
}

function unwrapDataKey(needs: CipherNeeds, key: Key, { version, material }: KeyVersion): Promise<KeyObject> {
  if (material.kind !== 'data_key' || material.wrapped === null) throw new Error(`key ${key.id} has no data key`);
  if (needs.dataKeys === undefined) throw new Error('the wrapped root that holds this key is not configured');
  return needs.dataKeys.unwrap({ tenantId: key.tenant_id, keyId: key.id, version }, material.wrapped);
}

function withTenant(key: Key, aad: Uint8Array): Buffer {
  return Buffer.concat([idBytes(key.tenant_id), aad]);
}
