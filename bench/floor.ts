/*
 * The floor: the least that a durable, counted and audited encryption can cost here. A plain listener that parses the
 * JSON, reads three documents coalesced, encrypts with AES-256-GCM under a derived key, and group-commits a count and an
 * audit row. No credential, no policy, no rate limit, no second read. A process of its own; `PORT` says where.
 */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { type DocumentReference, FieldValue, Firestore } from '@google-cloud/firestore';
import { Batcher } from '../shared/base/batcher.ts';
import { makeGauge } from '../shared/base/gauge.ts';
import { makeId } from '../shared/base/ids.ts';
import { sealMessage } from '../shared/crypto/message.ts';

const db = new Firestore({ projectId: 'demo-encryption' });
const documents = ['a', 'b', 'c'].map((id) => db.doc(`floor/${id}`));
for (const document of documents) await document.set({ text: randomUUID() });

const reads = new Batcher<DocumentReference, true>(
  async (refs) => {
    await db.getAll(...new Map(refs.map((ref) => [ref.path, ref])).values());
    return refs.map(() => true);
  },
  { inFlight: 2, asksPerCall: 300, waitMs: 10_000 },
);
const commits = new Batcher<object, true>(
  async (rows) => {
    const batch = db.batch();
    batch.set(db.doc('floorUsage/count'), { ops: FieldValue.increment(rows.length) }, { merge: true });
    for (const row of rows) batch.create(db.doc(`floorAudit/${randomUUID()}`), row);
    await batch.commit();
    return rows.map(() => true);
  },
  { inFlight: 4, asksPerCall: 200, waitMs: 10_000 },
);

const dataKey = createSecretKey(randomBytes(32));
const binding = { tenantId: makeId<never>(), keyId: makeId<never>(), aad: Buffer.alloc(0) };

const server = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { plaintext } = JSON.parse(Buffer.concat(chunks).toString());
  await Promise.all(documents.map((document) => reads.ask(document)));
  const ciphertext = sealMessage(dataKey, 1, binding, Buffer.from(plaintext, 'base64'));
  await commits.ask({ ts: new Date(), operation: 'encrypt', result: 'success', request_id: randomUUID() });
  const body = Buffer.from(JSON.stringify({ ciphertext: ciphertext.toString('base64') }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});

const gauge = makeGauge();
process.on('disconnect', () => process.exit());
process.on('message', (message) => process.send?.({ id: Object(message).id, ok: gauge() }));
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ ready: true }));
