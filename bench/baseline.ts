/*
 * The baseline: a minimal server for durable, counted and audited encryption, which uses the service's API client for
 * Firestore. It parses the JSON, reads three documents, encrypts with AES-256-GCM under a derived key, and commits a
 * count and an audit row. If `KEY_VERSION` is set, it encrypts with this key version in the KMS instead. It checks no
 * credentials, policies or rate limits. It batches reads and commits, unless `DIRECT` is set. It listens on `PORT`.
 */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import { Timestamp } from '@google-cloud/firestore';
import { Batcher } from '../shared/base/batcher.ts';
import { makeGauge } from '../shared/base/gauge.ts';
import { makeId } from '../shared/base/ids.ts';
import { readConfig } from '../shared/config.ts';
import { encryptMessage } from '../shared/crypto/message.ts';
import { loadKms } from '../shared/kms/load-kms.ts';
import { Commit } from '../shared/store/commit.ts';
import { connect } from '../shared/store/connect.ts';

/** The number of shards over which a tenant's count is spread, as in the service. */
const SHARDS = 8;

const config = readConfig(process.env);
const api = connect(config);
const kms = process.env.KEY_VERSION === undefined ? undefined : await loadKms(config);

/** The baseline's data for one tenant, created at the tenant's first request. */
interface Tenant {
  readonly id: string;
  readonly paths: readonly string[];
}

interface Row {
  readonly tenant: string;
  readonly fields: object;
}

const tenants = new Map<string, Promise<Tenant>>();

async function makeTenant(): Promise<Tenant> {
  const id = randomUUID();
  const paths = ['a', 'b', 'c'].map((part) => `baseline/${id}${part}`);
  const commit = new Commit(api);
  for (const path of paths) commit.set(path, { text: randomUUID() });
  await commit.apply();
  return { id, paths };
}

async function read(paths: readonly string[]): Promise<true[]> {
  await api.read(paths);
  return paths.map(() => true);
}

async function write(rows: readonly Row[]): Promise<true[]> {
  const commit = new Commit(api);
  for (const [tenant, { length }] of Map.groupBy(rows, (row) => row.tenant)) {
    commit.merge(`baselineUsage/${tenant}_${Math.floor(Math.random() * SHARDS)}`, {}, { ops: length });
  }
  for (const { fields } of rows) commit.create(`baselineAudit/${randomUUID()}`, fields);
  await commit.apply();
  return rows.map(() => true);
}

const LIMITS = { what: 'documents', owner: 'process', past: 'an error', waitMs: 10_000 };
const reads = new Batcher({ ...LIMITS, inFlight: 2, asksPerCall: 300 }, read);
const commits = new Batcher({ ...LIMITS, inFlight: 4, asksPerCall: 200 }, write);
const readAll = process.env.DIRECT
  ? read
  : (paths: readonly string[]) => Promise.all(paths.map((path) => reads.ask(path)));
const record = process.env.DIRECT ? (row: Row) => write([row]) : (row: Row) => commits.ask(row);

const dataKey = createSecretKey(randomBytes(32));
const binding = { tenantId: makeId<never>(), keyId: makeId<never>(), aad: Buffer.alloc(0) };

async function encrypt(plaintext: Buffer): Promise<Buffer> {
  if (kms === undefined) return encryptMessage(dataKey, 1, binding, plaintext);
  const [{ ciphertext }] = await kms.encrypt({ name: process.env.KEY_VERSION ?? '', plaintext });
  return Buffer.from(ciphertext ?? '');
}

const server = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { plaintext } = JSON.parse(Buffer.concat(chunks).toString());
  const credential = request.headers.authorization ?? '';
  const known = tenants.get(credential) ?? makeTenant();
  tenants.set(credential, known);
  const { id, paths } = await known;
  await readAll(paths);
  const ciphertext = await encrypt(Buffer.from(plaintext, 'base64'));
  const request_id = randomUUID();
  const by = { api_key_id: id, user_id: null, request_id };
  const about = { tenant_id: id, key_id: id, operation: 'encrypt', result: 'success', error_code: null };
  await record({ tenant: id, fields: { ...about, ...by, ts: Timestamp.now(), shard: 0 } });
  const body = Buffer.from(JSON.stringify({ ciphertext: ciphertext.toString('base64') }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});

const gauge = makeGauge();
process.on('disconnect', () => process.exit());
process.on('message', (message) => process.send?.({ id: Object(message).id, ok: gauge() }));
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ ready: true }));
