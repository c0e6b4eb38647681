export interface Openssl {
  getCiphers(): readonly string[];
  /** With a key object, the functions below are several times as fast as with a key in bytes. */
  createSecretKey(key: Uint8Array): SecretKey;
  createCipheriv(name: string, key: SecretKey, nonce: Uint8Array, options: { authTagLength: number }): Cipher;
  createDecipheriv(name: string, key: SecretKey, nonce: Uint8Array, options: { authTagLength: number }): Decipher;
  createHmac(hash: string, key: SecretKey): Hmac;
}

interface SecretKey {
  readonly type: string;
}

interface Cipher {
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
}

export interface Decipher {
  setAuthTag(tag: Uint8Array): unknown;
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

interface Hmac {
  update(data: Uint8Array): Hmac;
  digest(): Uint8Array;
}

// In a browser, `process` does not exist.
declare const process: { getBuiltinModule?(name: 'node:crypto'): Openssl } | undefined;

/**
 * Returns Node's crypto module if it has the cipher. Does not import it, so that bundlers for browsers need no
 * configuration.
 */
export function findOpenssl(cipher: string): Openssl | undefined {
  const openssl = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:crypto');
  return openssl?.getCiphers().includes(cipher) ? openssl : undefined;
}
