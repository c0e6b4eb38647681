/*
 * Rotates a `software` or `hsm` key, then rewraps the stored values under the new version: node rotate.mjs
 * (Rotating a `free` or `wrapped` key makes all older ciphertext unreadable. Decrypt the values first.)
 *
 * Environment: ESK_URL, ESK_API_KEY (with the actions `encrypt`, `rewrap` and `rotate`), KEY_ID
 */
import { EncryptionService } from 'encryption-service-client';

const { ESK_URL, ESK_API_KEY, KEY_ID } = process.env;
const service = new EncryptionService({ url: ESK_URL, apiKey: ESK_API_KEY });

/** The ciphertexts by row id, instead of a database table. */
const table = new Map();
for (const id of ['1', '2', '3']) {
  const { ciphertext } = await service.encrypt(KEY_ID, { plaintext: new TextEncoder().encode(`row ${id}`) });
  table.set(id, ciphertext);
}

const { tier } = await service.getKey(KEY_ID);
if (tier === 'free' || tier === 'wrapped') throw new Error(`rotating a ${tier} key would make the table unreadable`);

const rotated = await service.rotateKey(KEY_ID);
console.log(`primary version: ${rotated.primary_version}`);
for (const [id, ciphertext] of table) {
  const renewed = await service.rewrap(KEY_ID, { ciphertext });
  table.set(id, renewed.ciphertext);
}
console.log(`rewrapped: ${table.size} rows`);
