import { findOpenssl, type Openssl } from '../../src/files/openssl.ts';

/** A key as the service sends it. */
export const KEY_JSON = {
  id: '0197a3f0-5c1e-7d44-8c31-9b1f6f1c2a10',
  name: 'orders',
  tier: 'software',
  container_id: '0197a3f0-5c1e-7d44-8c31-9b1f6f1c2a11',
  state: 'active',
  created_at: '2026-11-20T10:11:12.123456Z',
  delete_requested_at: null,
  destroy_after: null,
  frozen_at: null,
  primary_version: 1,
  versions: [{ version: 1, state: 'enabled', created_at: '2026-11-20T10:11:12.123456Z' }],
} as const;

/** `KEY_JSON` as the library returns it. */
export const KEY = {
  ...KEY_JSON,
  created_at: new Date('2026-11-20T10:11:12.123Z'),
  versions: [{ version: 1, state: 'enabled', created_at: new Date('2026-11-20T10:11:12.123Z') }],
};

/** A token in the format of API keys. */
export const API_KEY = 'esk_aaaaaaaaaaaaaaaaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

/** The OpenSSL functions that the library uses in Node. */
export const openssl: Openssl = findOrThrow('chacha20-poly1305');

function findOrThrow(cipher: string): Openssl {
  const inThisNode = findOpenssl(cipher);
  if (inThisNode === undefined) throw new Error(`this Node has no ${cipher}`);
  return inThisNode;
}
