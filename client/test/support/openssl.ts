import { findOpenssl, type Openssl } from '../../src/files/openssl.ts';

/** What the library has of OpenSSL here. */
export const openssl: Openssl = found('chacha20-poly1305');

function found(cipher: string): Openssl {
  const here = findOpenssl(cipher);
  if (here === undefined) throw new Error(`this Node has no ${cipher}`);
  return here;
}
