/*
 * npm run bench:scale [-- --tenants N] [-- --keys N] [-- --rows N]: what routes cost on a nearly empty store and, for the
 * same tenant, on one that holds so many others. Prints a table. Fails when a route makes other round trips,
 * reads or writes another number of documents, or answers other rows on the full store.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { Firestore } from '@google-cloud/firestore';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { projectId } from '../../emulators/stack/service-environment.ts';
import { AUDIT } from '../../shared/audit/event.ts';
import { KEYS } from '../../shared/keys/key.ts';
import { TENANTS } from '../../shared/tenancy/tenant.ts';
import { pathOf } from '../child.ts';
import { environment, startService } from '../servers.ts';
import { startFirestoreMeter } from './firestore-meter.ts';
import { type Cost, measureCost, request } from './measure.ts';
import { routesOf } from './routes.ts';
import { costsTheSame, type ScaleRow, showScale } from './table.ts';
import { makeTenant } from './tenant.ts';

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '10000' },
    keys: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '200000' },
  },
});
const size = { tenants: Number(values.tenants), keys: Number(values.keys), rows: Number(values.rows) };

/** Enough for the code to be warm, and for every page of the audit log that is read to be full. */
const WARM_UP = 50;

// Google's client would look for the metadata server of a machine of Google's.
process.env.METADATA_SERVER_DETECTION ??= 'none';
await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const base = Number(new URL(stack.baseUrl).port);
const firestore = portsFrom(base).firestore;
const meter = await startFirestoreMeter(`127.0.0.1:${firestore}`);
cleanup.defer(meter.stop);
const metered = { ...environment(base), FIRESTORE_EMULATOR_HOST: meter.address };
const service = await startService(metered, base + 10);
cleanup.defer(service.stop);
const db = new Firestore({
  projectId,
  host: `127.0.0.1:${firestore}`,
  ssl: false,
  // The emulator's word for a server that no rule binds.
  customHeaders: { Authorization: 'Bearer owner' },
});
cleanup.defer(() => db.terminate());

const routes = routesOf(db, await makeTenant(stack, service.url));
for (const route of routes) {
  for (let n = 0; n < WARM_UP; n++) await Promise.all([request(service, route), route.bare()]);
}
const empty = await measureAll();
const filledFrom = performance.now();
await promisify(execFile)(process.execPath, [pathOf('scale/fill.ts'), JSON.stringify(size)], {
  env: environment(base),
});
const fillSeconds = Math.round((performance.now() - filledFrom) / 1000);
const stored = { tenants: await count(TENANTS.name), keys: await count(KEYS.name), rows: await count(AUDIT.name) };
const full = await measureAll();

const rows = routes.flatMap(({ name }): ScaleRow[] => {
  const [before, after] = [empty.get(name), full.get(name)];
  return before && after ? [{ route: name, empty: before, full: after }] : [];
});
process.stdout.write(`${showScale(rows)}stored: ${JSON.stringify(stored)}, filled in ${fillSeconds} s\n`);
const changed = rows.filter((row) => !costsTheSame(row)).map(({ route }) => route);
if (changed.length > 0) throw new Error(`these do something else on a full store: ${changed.join(', ')}`);
if (stored.tenants < size.tenants || stored.keys < size.keys || stored.rows < size.rows) {
  throw new Error('the store was not filled');
}

async function measureAll(): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const route of routes) costs.set(route.name, await measureCost(service, meter, route));
  return costs;
}

async function count(collection: string): Promise<number> {
  return (await db.collection(collection).count().get()).data().count;
}
