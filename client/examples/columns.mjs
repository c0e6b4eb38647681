/*
 * Encrypts columns of a patients table, searches one, and rotates the key: node columns.mjs
 *
 * Environment: ESK_URL, ESK_API_KEY (with the actions `create`, `wrap`, `unwrap`, `rewrap` and `rotate`). With `npm start`
 * running, `export` the variables that it prints.
 */
import { EncryptionService } from 'encryption-service-client';
import { createIndexKey, encryptedFields, rewrapIndexKey } from 'encryption-service-client/fields';

const { ESK_URL, ESK_API_KEY } = process.env;
const service = new EncryptionService({ url: ESK_URL, apiKey: ESK_API_KEY });
const { id: keyId } = await service.createKey({ name: `patients ${crypto.randomUUID()}`, tier: 'software' });
const options = {
  keyId,
  table: 'patients',
  fields: { diagnosis: 'text', email: { type: 'text', index: true } },
};
const indexKey = await createIndexKey(service, keyId);
const patients = encryptedFields(service, { ...options, indexKey });

/** The rows by id, instead of a database table. */
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
