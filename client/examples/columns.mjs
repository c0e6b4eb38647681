/*
 * Encrypts columns of a patients table, searches one, and rotates the key: `npm run example -w client` in the checkout,
 * while `npm start` runs, or node columns.mjs
 *
 * Environment: ESK_URL, by default that of `npm start`; ESK_API_KEY (with the actions `create`, `wrap`, `unwrap`, `rewrap`
 * and `rotate`), by default that of the demo tenant of `npm start`.
 *
 * A Map replaces the database, because the lowest Node that the package supports has none. docs/columns.md does the same
 * with node:sqlite.
 */
import { EncryptionService } from 'encryption-service-client';
import { createIndexKey, encryptedFields, rewrapIndexKey } from 'encryption-service-client/fields';

const { ESK_URL = 'http://127.0.0.1:8080', ESK_API_KEY = await demoApiKey() } = process.env;
const service = new EncryptionService({ url: ESK_URL, apiKey: ESK_API_KEY });
const { id: keyId } = await service.createKey({ name: `patients ${crypto.randomUUID()}`, tier: 'software' });
const options = {
  keyId,
  table: 'patients',
  fields: { diagnosis: 'text', email: { type: 'text', index: true } },
};
const indexKey = await createIndexKey(service, keyId);
const patients = encryptedFields(service, { ...options, indexKey });

/** The patients table: its rows by id. */
const table = new Map();
const people = [
  { id: 1, name: 'Ada', diagnosis: 'flu', email: 'ada@example.org' },
  { id: 2, name: 'Grace', diagnosis: 'measles', email: 'grace@example.org' },
];
for (const row of await patients.encryptRows(people)) table.set(row.id, row);

const wanted = await patients.index('email', 'grace@example.org');
const [found] = await patients.decryptRows([...table.values()].filter((row) => row.email_index === wanted));
console.log(`found: ${found.name}, ${found.diagnosis}`);

const { primary_version } = await service.rotateKey(keyId);
const renewed = encryptedFields(service, { ...options, indexKey: await rewrapIndexKey(service, indexKey) });
for (const row of await renewed.rewrapRows([...table.values()])) table.set(row.id, row);
console.log(`rewrapped ${table.size} rows under version ${primary_version}`);
console.log((await renewed.decryptRows([...table.values()])).map(({ name }) => name).join(', '));

/** Returns the API key of the local stack's demo tenant. The control API listens nine ports above the service. */
async function demoApiKey() {
  const control = new URL(process.env.ESK_URL ?? 'http://127.0.0.1:8080');
  control.port = Number(control.port) + 9;
  const { demo } = await (await fetch(control)).json();
  return demo.api_key;
}
