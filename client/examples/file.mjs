/*
 * Encrypts or decrypts a file of any size: node file.mjs encrypt|decrypt IN OUT
 *
 * The file never leaves this machine: the service wraps the key of the file, which is in the age format. The command line
 * does the same: esk encrypt, esk decrypt.
 *
 * Environment: ESK_URL, ESK_API_KEY (may `wrap` and `unwrap`), KEY_ID (to encrypt)
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { decryptStream, EncryptionService, encryptStream } from 'encryption-service-client';

const { ESK_URL, ESK_API_KEY, KEY_ID } = process.env;
const service = new EncryptionService({ url: ESK_URL, apiKey: ESK_API_KEY });

const [mode, input, output] = process.argv.slice(2);
const context = new TextEncoder().encode('nightly backup');
const transform =
  mode === 'encrypt' ? encryptStream(service, KEY_ID, { context }) : decryptStream(service, { context });

// What comes out of `decryptStream` is authentic, but the file may turn out to be cut short at its very end: it gets its
// name when it is known to be whole.
const part = `${output}.part`;
try {
  const source = Readable.toWeb(createReadStream(input));
  await source.pipeThrough(transform).pipeTo(Writable.toWeb(createWriteStream(part, { mode: 0o600 })));
  await rename(part, output);
} catch (error) {
  await rm(part, { force: true });
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
