import type { KeyObject } from 'node:crypto';
import { idBytes } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError, notFound } from '../errors.ts';
import { refusePending } from '../keys/guards.ts';
import { isLive, KEYS, type Key, type KeyVersion, primaryVersion } from '../keys/key.ts';
import type { Backend } from './limits.ts';
import { openMessage, readVersion, sealMessage } from './message.ts';

/** What performs the key's cryptography: decided when the key was made, the same for all its versions. */
export function backendOf(key: Key): Backend {
  return primaryVersion(key).material.kind === 'data_key' ? 'data_key' : 'crypto_key';
}

/**
 * Encrypts under the key's primary version, bound to the tenant, the key and `aad`. Where that was retired since the key
 * was read, it goes by the key as it is now: under its new primary version, or refused as destroyed or pending deletion.
 */
export async function seal(env: Env, key: Key, plaintext: Uint8Array, aad: Uint8Array): Promise<Buffer> {
  const primary = primaryVersion(key);
  const { material } = primary;
  if (material.kind === 'crypto_key_version') {
    // A change of primary reaches the whole KMS late; a version's own name is exact.
    const ciphertext = await env.kms.encrypt(material.name, plaintext, withTenant(key, aad));
    return ciphertext ?? seal(env, await loadChanged(env, key), plaintext, aad);
  }
  const dataKey = await unwrapDataKey(env, key, primary);
  return sealMessage(dataKey, primary.version, { tenantId: key.tenant_id, keyId: key.id, aad }, plaintext);
}

/**
 * Opens a value under the version that it names. Throws `invalid_ciphertext` when that cannot be done, or what an
 * operation on the key now would be refused with, where the KMS was told meanwhile to destroy it.
 */
export async function open(env: Env, key: Key, ciphertext: Buffer, aad: Uint8Array): Promise<Buffer> {
  if (backendOf(key) === 'data_key') return openUnderDataKey(env, key, ciphertext, aad);
  const plaintext = await env.kms.decrypt(env.kms.cryptoKey(key.id), ciphertext, withTenant(key, aad));
  if (plaintext !== undefined) return plaintext;
  await loadAgain(env, key);
  throw invalidCiphertext();
}

/** The key as it is now. Throws as an operation on it would. */
async function loadAgain(env: Env, before: Key): Promise<Key> {
  const key = await env.store.find(KEYS, before.id);
  if (key === undefined || !isLive(key)) throw notFound();
  refusePending(key, env.clock);
  return key;
}

/** The key as it is now, which has another primary version. Throws as an operation on it would. */
async function loadChanged(env: Env, before: Key): Promise<Key> {
  const key = await loadAgain(env, before);
  if (key.primary_version === before.primary_version) throw new Error('the primary version is not enabled in the KMS');
  return key;
}

/** `400 invalid_ciphertext`: one message, whatever the reason. */
export function invalidCiphertext(): ApiError {
  return new ApiError('invalid_ciphertext', 'the value cannot be opened with this key and aad');
}

async function openUnderDataKey(env: Env, key: Key, ciphertext: Buffer, aad: Uint8Array): Promise<Buffer> {
  const named = readVersion(ciphertext);
  const version = key.versions.find((candidate) => candidate.version === named && candidate.state === 'enabled');
  if (version === undefined) throw invalidCiphertext();
  const dataKey = await unwrapDataKey(env, key, version);
  const plaintext = openMessage(dataKey, { tenantId: key.tenant_id, keyId: key.id, aad }, ciphertext);
  if (plaintext === undefined) throw invalidCiphertext();
  return plaintext;
}

function unwrapDataKey(env: Env, key: Key, { version, material }: KeyVersion): Promise<KeyObject> {
  if (material.kind !== 'data_key' || material.wrapped === null) throw new Error(`key ${key.id} has no data key`);
  if (env.dataKeys === undefined) throw new Error('the wrapped root that holds this key is not configured');
  return env.dataKeys.unwrap({ tenantId: key.tenant_id, keyId: key.id, version }, material.wrapped);
}

/** The KMS's aad: the tenant id's 16 bytes, then the caller's. */
function withTenant(key: Key, aad: Uint8Array): Buffer {
  return Buffer.concat([idBytes(key.tenant_id), aad]);
}
