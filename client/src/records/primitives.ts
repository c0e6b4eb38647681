import { type Bytes, concat } from '../files/bytes.ts';
import { type Decipher, findOpenssl, type Openssl } from '../files/openssl.ts';

type Awaitable<T> = T | Promise<T>;

export interface Aes256Gcm {
  seal(nonce: Bytes, plaintext: Bytes): Awaitable<Uint8Array>;
  /** Returns the plaintext, or `undefined` if the tag does not match. */
  open(nonce: Bytes, sealed: Bytes): Awaitable<Uint8Array | undefined>;
}

export interface Primitives {
  /** Returns a function that computes the HMAC of its arguments, concatenated. */
  hmacSha512(key: Bytes): (...parts: readonly Uint8Array[]) => Awaitable<Uint8Array>;
  aes256Gcm(key: Bytes): Aes256Gcm;
}

const TAG_LENGTH = 16;

/** Returns the primitives of OpenSSL in Node, Deno and Bun, and of Web Crypto elsewhere. */
export function findPrimitives(): Primitives {
  const openssl = findOpenssl('aes-256-gcm');
  return openssl === undefined ? webCrypto : inOpenssl(openssl);
}

/** Returns the primitives of OpenSSL. Web Crypto is slower, because it switches to another thread for each record. */
export function inOpenssl(openssl: Openssl): Primitives {
  const options = { authTagLength: TAG_LENGTH };
  return {
    hmacSha512: (key) => {
      const secret = openssl.createSecretKey(key);
      return (...parts) => {
        const hmac = openssl.createHmac('sha512', secret);
        for (const part of parts) hmac.update(part);
        return hmac.digest();
      };
    },
    aes256Gcm: (key) => {
      const secret = openssl.createSecretKey(key);
      return {
        seal: (nonce, plaintext) => {
          const cipher = openssl.createCipheriv('aes-256-gcm', secret, nonce, options);
          return concat(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
        },
        open: (nonce, sealed) => {
          const decipher = openssl.createDecipheriv('aes-256-gcm', secret, nonce, options);
          decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
          const plaintext = decipher.update(sealed.subarray(0, -TAG_LENGTH));
          return isAuthentic(decipher) ? plaintext : undefined;
        },
      };
    },
  };
}

export const webCrypto: Primitives = {
  hmacSha512: (key) => {
    const algorithm = { name: 'HMAC', hash: 'SHA-512' };
    const imported = crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
    return async (...parts) => new Uint8Array(await crypto.subtle.sign('HMAC', await imported, concat(...parts)));
  },
  aes256Gcm: (key) => {
    const imported = crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
    const algorithm = (iv: Bytes) => ({ name: 'AES-GCM', iv });
    return {
      seal: async (nonce, plaintext) =>
        new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce), await imported, plaintext)),
      open: async (nonce, sealed) =>
        crypto.subtle.decrypt(algorithm(nonce), await imported, sealed).then(
          (plaintext) => new Uint8Array(plaintext),
          () => undefined,
        ),
    };
  },
};

/** Checks the tag. GCM has no padding, so no bytes are left. */
function isAuthentic(decipher: Decipher): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
