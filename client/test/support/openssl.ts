import { findOpenssl, type Openssl } from '../../src/files/openssl.ts';

/** The OpenSSL functions that the library uses in Node. */
export const openssl: Openssl = findOrThrow('chacha20-poly1305');

function findOrThrow(cipher: string): Openssl {
  const inThisNode = findOpenssl(cipher);
  if (inThisNode === undefined) throw new Error(`this Node has no ${cipher}`);
  return inThisNode;
}
