import { viewInstant } from '../../shared/base/clock.ts';
import { type KeyId, parseId } from '../../shared/base/ids.ts';
import { KEYS } from '../../shared/keys/key.ts';
import type { CryptoKey } from '../../shared/kms/inventory.ts';
import { ENDED } from '../../shared/kms/kms.ts';
import type { Store } from '../../shared/store/store.ts';
import { checkEach, Part } from './part.ts';
import type { CheckServices } from './services.ts';

/** Finds CryptoKeys in the tenants' key ring that have key material but belong to no stored key. */
export async function checkCryptoKeys(services: CheckServices) {
  const part = new Part('CryptoKeys against stored keys', {
    CryptoKeys: 0,
    'without a stored key, and destroyed': 0,
  });
  const { store, inventory, config } = services;
  const operatorKeys = [config.wrappedRoot, config.sealing?.signingKey.split('/cryptoKeyVersions/')[0]];
  for await (const page of inventory.cryptoKeys(config.keyRing)) {
    const tenants = page.filter(({ name }) => !operatorKeys.includes(name));
    part.count('CryptoKeys', tenants.length);
    await checkEach([await withoutKey(store, tenants)], async ({ id, name, createdAt }) => {
      const versions = (await inventory.versions(name)) ?? [];
      // If creating a key fails, the version of its CryptoKey ends in one of these states.
      const usable = versions.filter(({ state }) => !ENDED.includes(state));
      if (usable.length === 0) return part.count('without a stored key, and destroyed');
      const created_at = viewInstant(createdAt);
      const text = `CryptoKey ${id}, created at ${created_at}, has versions with material, but no stored key has its id`;
      part.findings.push({ kind: 'crypto-key-unknown', about: { crypto_key: name, created_at }, text });
    });
  }
  return part;
}

async function withoutKey(store: Store, cryptoKeys: readonly CryptoKey[]): Promise<CryptoKey[]> {
  const ids = cryptoKeys.flatMap(({ id }) => parseId<KeyId>(id) ?? []);
  const found = new Set<string>((await store.findAll(KEYS, ids)).flatMap((key) => key?.id ?? []));
  return cryptoKeys.filter(({ id }) => !found.has(id));
}
