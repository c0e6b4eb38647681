/*
 * npm run bench -- fields: rows per second that encryptedFields encrypts, decrypts and indexes, beside bare
 * AES-256-GCM of node:crypto, measured alternately in one process, and the memory that is in use during a million rows.
 * Nothing is sent.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createIndexKey, encryptedFields } from '../../client/src/fields/index.ts';
import { EncryptionService } from '../../client/src/index.ts';
import { fakeService } from '../../client/src/testing/index.ts';
import { markdownTable, median } from '../table.ts';

const ROWS = 2_000;
const ROUNDS = 15;
const BATCHES = 500;
/** The least share of the bare cipher's rows a second. */
const LEAST_RATIO = 0.5;
/** The most by which the memory in use may grow: less than 20 bytes a row. */
const MOST_GROWTH_MIB = 16;
const NAMES = ['a', 'b', 'c'] as const;

const { url, apiKey, keyId, fetch } = fakeService();
const service = new EncryptionService({ url, apiKey, fetch });
const indexKey = await createIndexKey(service, keyId);
const plain = encryptedFields(service, { keyId, table: 'rows', fields: { a: 'text', b: 'text', c: 'text' } });
const indexed = encryptedFields(service, {
  keyId,
  table: 'rows',
  fields: { a: { type: 'text', index: true } },
  indexKey,
});
const rows = Array.from({ length: ROWS }, (_, id) => ({
  id,
  a: 'x'.repeat(100),
  b: 'y'.repeat(100),
  c: 'z'.repeat(100),
}));

const key = randomBytes(32);
interface Sealed {
  readonly iv: Buffer;
  readonly body: Buffer;
  readonly tag: Buffer;
}

function sealAlone(text: string): Sealed {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { iv, body, tag: cipher.getAuthTag() };
}

function openAlone({ iv, body, tag }: Sealed): string {
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString();
}

const encrypted = await plain.encryptRows(rows);
const sealed = rows.flatMap((row) => NAMES.map((name) => sealAlone(row[name])));
const WORK: Readonly<Record<string, () => unknown>> = {
  'encrypt, bare node:crypto': () => rows.map((row) => NAMES.map((name) => sealAlone(row[name]))),
  'encrypt, encryptRows': () => plain.encryptRows(rows),
  'decrypt, bare node:crypto': () => sealed.map(openAlone),
  'decrypt, decryptRows': () => plain.decryptRows(encrypted),
  index: () => Promise.all(rows.map(({ a }) => indexed.index('a', a))),
};

const rates = new Map(Object.keys(WORK).map((name): [string, number[]] => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, work] of Object.entries(WORK)) {
    const start = performance.now();
    await work();
    rates.get(name)?.push((1_000 * ROWS) / (performance.now() - start));
  }
}
const medianOf = (name: string): number => median(rates.get(name) ?? []);
const ratios = new Map(
  ['encrypt', 'decrypt'].map((name): [string, number] => [
    `${name}Rows / bare`,
    medianOf(`${name}, ${name}Rows`) / medianOf(`${name}, bare node:crypto`),
  ]),
);

process.stdout.write(
  markdownTable(
    ['rows of three fields of 100 bytes', 'rows a second', 'ratio', 'limit'],
    [
      ...Object.keys(WORK).map((name) => [name, String(Math.round(medianOf(name))), '', '']),
      ...[...ratios].map(([name, ratio]) => [name, '', ratio.toFixed(2), `≥ ${LEAST_RATIO}`]),
    ],
  ),
);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

async function memoryInUse(): Promise<number> {
  collectGarbage();
  // The memory outside the heap is free only after the finalizers have run.
  await nextTurn();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

const memory: number[] = [];
for (let batch = 0; batch <= BATCHES; batch++) {
  if (batch % (BATCHES / 5) === 0) memory.push(await memoryInUse());
  await plain.decryptRows(await plain.encryptRows(rows));
}
const growth = (memory.at(-1) ?? 0) - (memory[0] ?? 0);
process.stdout.write(
  `memory in use during ${(BATCHES * ROWS).toLocaleString('en')} rows: ${memory.map((mib) => mib.toFixed(1)).join(', ')} MiB (limit: ${MOST_GROWTH_MIB} MiB more at the end)\n`,
);

const exceeded = [
  ...[...ratios].filter(([, ratio]) => ratio < LEAST_RATIO).map(([name]) => name),
  ...(growth > MOST_GROWTH_MIB ? ['memory'] : []),
];
for (const name of exceeded) process.stderr.write(`limit exceeded: ${name}\n`);
if (exceeded.length > 0) process.exitCode = 1;
