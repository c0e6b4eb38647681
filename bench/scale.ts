/*
 * npm run bench -- scale [--tenants N] [--keys N] [--rows N]: measures the routes of one tenant on a nearly empty
 * store. Adds N tenants, keys and audit rows of other tenants, then measures again. Prints a table. Fails if a route
 * makes more or fewer round trips than before, reads or writes more or fewer documents, or returns a list of a different
 * length.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { makeFirestoreClient } from '../emulators/firestore/server.ts';
import { portsOf } from '../emulators/stack/ports.ts';
import { startSeparateStack } from '../emulators/stack/separate.ts';
import { TIERS } from '../shared/tiers.ts';
import { startProxy } from './cloud/servers.ts';
import { type Copies, copyDocument } from './fairness/copies.ts';
import { call, type HttpRequest } from './load.ts';
import { environment, sparePort, startService } from './servers.ts';
import { alignColumns, median } from './table.ts';
import { makeTenant } from './tenant.ts';

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '10000' },
    keys: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '200000' },
  },
});
/** The number of warm-up requests. They let V8 compile the code, and fill every page of the audit log that is read. */
const WARM_UP = 50;
/** The number of requests whose costs are counted. On a busy machine, a query of the full emulator can come too late. */
const COUNTED = 5;
const ATTEMPTS = 5;
const KEYS_OF_TIER = 3;

/** The costs of a request, and the number of items in its answer if it is a list. */
type Cost = Readonly<Record<string, number>>;

await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const firestore = `127.0.0.1:${portsOf(stack).firestore}`;
const proxyPort = sparePort(stack, 1);
const proxy = await startProxy({ links: [{ port: proxyPort, to: firestore }], delays: false });
cleanup.defer(proxy.stop);
const proxied = { ...environment(stack), FIRESTORE_EMULATOR_HOST: `127.0.0.1:${proxyPort}` };
const service = await startService(proxied, sparePort(stack, 0));
cleanup.defer(service.stop);
const db = makeFirestoreClient(firestore);
cleanup.defer(() => db.terminate());

const { id: tenantId, keyIds, routes } = await makeRoutes();
for (const { request } of routes) for (let n = 0; n < WARM_UP; n++) await countItems(request);
const empty = await measureAll();
const copies: readonly Copies[] = [
  { from: 'tenants', where: ['id', tenantId], fields: ['id'], copies: Number(values.tenants) },
  { from: 'keys', where: ['id', keyIds[0]], fields: ['id', 'tenant_id', 'container_id'], copies: Number(values.keys) },
  {
    from: 'usage',
    where: ['key_id', keyIds[0]],
    fields: ['key_id', 'tenant_id', 'container_id'],
    copies: Number(values.keys),
  },
  {
    from: 'audit',
    where: ['key_id', keyIds[0]],
    fields: ['request_id', 'tenant_id', 'key_id'],
    copies: Number(values.rows),
  },
];
for (const one of copies) await copyDocument(firestore, one);
for (const { from, copies: wanted } of copies) {
  const stored = (await db.collection(from).count().get()).data().count;
  if (stored < wanted) throw new Error(`the store has only ${stored} documents of ${from}`);
}
const full = await measureAll();

const kinds = [...new Set([...empty, ...full].flatMap(([, cost]) => Object.keys(cost)))];
const both = (route: string, kind: string): string => {
  const [before, after] = [empty, full].map((costs) => costs.get(route)?.[kind] ?? 0);
  return before === after ? String(before) : `${before} -> ${after}`;
};
process.stdout.write(
  alignColumns([['route', ...kinds], ...routes.map(({ name }) => [name, ...kinds.map((kind) => both(name, kind))])]),
);
const changed = routes.filter(({ name }) => kinds.some((kind) => both(name, kind).includes('->')));
if (changed.length > 0) {
  throw new Error(`these routes have a different cost on a full store: ${changed.map(({ name }) => name).join(', ')}`);
}

/** Makes a tenant with keys of all tiers. Returns the routes whose cost must not grow with the store. */
async function makeRoutes() {
  const tenant = await makeTenant(stack);
  const { id, apiKey: token, accessToken } = tenant;
  const plaintext = Buffer.alloc(1024).toString('base64');
  const routes: { readonly name: string; readonly request: HttpRequest }[] = [];
  const keyIds: string[] = [];
  for (const tier of TIERS) {
    for (let n = 0; n < (tier === 'free' ? 1 : KEYS_OF_TIER); n++) {
      const keyId = await tenant.createKey(service.url, tier);
      const on = (operation: string, body: object) => ({
        method: 'POST',
        path: `/v1/keys/${keyId}/${operation}`,
        token,
        body,
      });
      const encrypt = on('encrypt', { plaintext });
      const sealed = await call(service.url, encrypt, z.object({ ciphertext: z.string() }));
      keyIds.push(keyId);
      if (n > 0) continue;
      for (const request of [encrypt, on('decrypt', sealed), on('rewrap', sealed)]) {
        routes.push({ name: `${request.path.split('/').at(-1)}, ${tier}`, request });
      }
    }
  }
  const reads = [`/v1/keys/${keyIds[0]}`, '/v1/keys', `/v1/keys/${keyIds[0]}/audit`, '/v1/usage'];
  for (const path of reads)
    routes.push({ name: `GET ${path.replace(/keys\/[^/]+/, 'keys/{id}')}`, request: { method: 'GET', path, token } });
  routes.push({ name: 'GET /v1/audit', request: { method: 'GET', path: '/v1/audit', token: accessToken } });
  return { id, keyIds, routes };
}

async function measureAll(): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const { name, request } of routes) {
    const counted: Cost[] = [];
    for (let left = COUNTED + ATTEMPTS; counted.length < COUNTED; left--) {
      await countOne(request).then(
        (cost) => counted.push(cost),
        (error: unknown) => {
          if (left === 0) throw error;
        },
      );
    }
    const of = (kind: string) => median(counted.map((cost) => cost[kind] ?? 0));
    costs.set(name, Object.fromEntries(Object.keys(counted[0] ?? {}).map((kind) => [kind, of(kind)])));
  }
  return costs;
}

/** Sends a request. Returns its round trips, the documents that Firestore bills for it, and the length of its answer. */
async function countOne(request: HttpRequest): Promise<Cost> {
  const read = async (): Promise<Cost> => {
    const { documents = 0, writes = 0 } = (await proxy.read()).trips;
    return { ...(await service.read()).trips, documents, writes };
  };
  const before = await read();
  const items = await countItems(request);
  const used = Object.entries(await read()).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]);
  return { items, ...Object.fromEntries(used) };
}

/** Sends a request. Returns the number of items in the answer if it is a list, else 1. Throws if the request fails. */
async function countItems(request: HttpRequest): Promise<number> {
  const answered = await call(service.url, request, z.unknown());
  return Array.isArray(answered) ? answered.length : 1;
}
