/*
 * Encrypts or decrypts a file of any size: node file.mjs encrypt|decrypt IN OUT
 *
 * The file never leaves this machine: the service only wraps the file's key. `esk encrypt` and `esk decrypt` write and
 * read the same format, age.
 *
 * Environment: ESK_URL, ESK_API_KEY (with the actions `wrap` and `unwrap`), KEY_ID (only to encrypt)
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

// `decryptStream` returns only authentic parts, but it detects only at the end whether the file is complete. So the output
// gets its name at the end.
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
