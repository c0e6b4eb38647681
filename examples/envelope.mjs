/*
 * Envelope encryption of a file, with nothing but Node 20 or newer:
 *
 *   node examples/envelope.mjs encrypt <in> <out>
 *   node examples/envelope.mjs decrypt <in> <out>
 *
 * The file never leaves this machine. The service makes a data key (`wrap`), the file is encrypted with it here, and
 * only the wrapped data key is kept, in the file itself. To decrypt, the service unwraps it again (`unwrap`).
 *
 * Environment:
 *   API_KEY   the token of an API key that may `wrap` and `unwrap`
 *   KEY_ID    the id of the key that wraps the data key
 *   BASE_URL  where the service is; http://127.0.0.1:8080 by default, which is `npm start`
 *   PURPOSE   what the file is for, `file` by default; a file encrypted for one purpose does not open for another
 * After `npm start`, `curl -s http://127.0.0.1:8089/` answers an `api_key` and a `key_id` to try it with.
 *
 * The encrypted file:
 *   4 bytes   "ENV1"
 *   2 bytes   length of the wrapped data key, big-endian
 *   n bytes   the wrapped data key, as `wrap` returned it
 *   12 bytes  nonce, random; a data key encrypts one file alone, so nonces never meet
 *   the rest  AES-256-GCM ciphertext, then its tag of 16 bytes; all that stands before the nonce is its AAD
 *
 * The whole file is held in memory, so that nothing is written before its tag has been checked.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const MAGIC = Buffer.from('ENV1');
const PREFIX_BYTES = MAGIC.length + 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const { BASE_URL = 'http://127.0.0.1:8080', PURPOSE = 'file', API_KEY, KEY_ID } = process.env;
const aad = Buffer.from(PURPOSE).toString('base64');

async function encrypt(plaintext) {
  const { wrapped, dek } = await post('wrap', { aad });
  const header = makeHeader(Buffer.from(wrapped, 'base64'));
  const nonce = randomBytes(NONCE_BYTES);
  const key = Buffer.from(dek, 'base64');
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  key.fill(0);
  cipher.setAAD(header);
  return Buffer.concat([header, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

async function decrypt(file) {
  const { header, wrapped, nonce, ciphertext, tag } = takeApart(file);
  const { dek } = await post('unwrap', { wrapped: wrapped.toString('base64'), aad });
  const key = Buffer.from(dek, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  key.fill(0);
  decipher.setAAD(header);
  decipher.setAuthTag(tag);
  const plaintext = decipher.update(ciphertext);
  try {
    decipher.final();
  } catch {
    throw new Error('the file was changed after it was encrypted');
  }
  return plaintext;
}

function makeHeader(wrapped) {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(wrapped.length);
  return Buffer.concat([MAGIC, length, wrapped]);
}

function takeApart(file) {
  const foreign = new Error('not a file that this program encrypted, or cut short');
  if (file.length < PREFIX_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) throw foreign;
  const headerEnd = PREFIX_BYTES + file.readUInt16BE(MAGIC.length);
  const ciphertextStart = headerEnd + NONCE_BYTES;
  const tagStart = file.length - TAG_BYTES;
  if (tagStart < ciphertextStart) throw foreign;
  return {
    header: file.subarray(0, headerEnd),
    wrapped: file.subarray(PREFIX_BYTES, headerEnd),
    nonce: file.subarray(headerEnd, ciphertextStart),
    ciphertext: file.subarray(ciphertextStart, tagStart),
    tag: file.subarray(tagStart),
  };
}

async function post(operation, body) {
  const response = await fetch(`${BASE_URL}/v1/keys/${KEY_ID}/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(`${operation}: ${response.status} ${answer.error}: ${answer.message} (${answer.request_id})`);
}

const [mode, input, output] = process.argv.slice(2);
const transform = { encrypt, decrypt }[mode];

try {
  if (!transform || !input || !output) throw new Error('usage: node examples/envelope.mjs encrypt|decrypt <in> <out>');
  if (!API_KEY || !KEY_ID) throw new Error('API_KEY and KEY_ID must be set; see the head of this file');
  await writeFile(output, await transform(await readFile(input)), { mode: 0o600 });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
