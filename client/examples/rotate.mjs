/*
 * Rotates a `software` or `hsm` key, then has what is stored encrypted under its new version: node rotate.mjs
 * (On a `free` or `wrapped` key a rotation makes all older ciphertext unreadable: decrypt it before.)
 *
 * Environment: ESK_URL, ESK_API_KEY (may `encrypt`, `rewrap` and `rotate`), KEY_ID
 */
import { EncryptionService } from 'encryption-service-client';

const { ESK_URL, ESK_API_KEY, KEY_ID } = process.env;
const service = new EncryptionService({ url: ESK_URL, apiKey: ESK_API_KEY });

/** In place of a table: what is stored, by the id of its row. */
const table = new Map();
for (const id of ['1', '2', '3']) {
  const { ciphertext } = await service.encrypt(KEY_ID, { plaintext: new TextEncoder().encode(`row ${id}`) });
  table.set(id, ciphertext);
}

const { tier } = await service.getKey(KEY_ID);
if (tier === 'free' || tier === 'wrapped') throw new Error(`a rotation of a ${tier} key would lose the table`);

const rotated = await service.rotateKey(KEY_ID);
console.log(`primary version: ${rotated.primary_version}`);
for (const [id, ciphertext] of table) {
  const renewed = await service.rewrap(KEY_ID, { ciphertext });
  table.set(id, renewed.ciphertext);
}
console.log(`rewrapped: ${table.size} rows`);
