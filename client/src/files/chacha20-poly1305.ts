import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { findOpenssl, type Openssl } from './openssl.ts';

const TAG_LENGTH = 16;

/** ChaCha20-Poly1305 (RFC 8439) with a key of 32 bytes, without additional data. */
export interface ChaCha20Poly1305 {
  /** Returns the ciphertext followed by a tag of 16 bytes, in one or two parts. Nonces must be unique. */
  seal(nonce: Uint8Array, plaintext: Uint8Array): readonly Uint8Array[];
  /** Returns the plaintext, or `undefined` if the tag does not match. */
  open(nonce: Uint8Array, sealed: Uint8Array): Uint8Array | undefined;
}

/** Returns the cipher for a key. Uses OpenSSL in Node, Deno and Bun, and JavaScript elsewhere. */
export function makeChaCha20Poly1305(key: Uint8Array): ChaCha20Poly1305 {
  const openssl = findOpenssl('chacha20-poly1305');
  return openssl === undefined ? inJavaScript(key) : inOpenssl(openssl, key);
}

export function inJavaScript(key: Uint8Array): ChaCha20Poly1305 {
  return {
    seal: (nonce, plaintext) => [chacha20poly1305(key, nonce).encrypt(plaintext)],
    open: (nonce, sealed) => {
      if (sealed.length < TAG_LENGTH) return undefined;
      try {
        return chacha20poly1305(key, nonce).decrypt(sealed);
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns the cipher in OpenSSL, which is about ten times as fast as JavaScript. */
export function inOpenssl(openssl: Openssl, key: Uint8Array): ChaCha20Poly1305 {
  const options = { authTagLength: TAG_LENGTH };
  const secret = openssl.createSecretKey(key);
  return {
    seal: (nonce, plaintext) => {
      const cipher = openssl.createCipheriv('chacha20-poly1305', secret, nonce, options);
      // `final` returns nothing for a stream cipher. Returning ciphertext and tag as two parts saves a copy.
      const ciphertext = cipher.update(plaintext);
      cipher.final();
      return [ciphertext, cipher.getAuthTag()];
    },
    open: (nonce, sealed) => {
      if (sealed.length < TAG_LENGTH) return undefined;
      const decipher = openssl.createDecipheriv('chacha20-poly1305', secret, nonce, options);
      decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
      const plaintext = decipher.update(sealed.subarray(0, -TAG_LENGTH));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      return new Uint8Array(plaintext.buffer, plaintext.byteOffset, plaintext.length);
    },
  };
}
