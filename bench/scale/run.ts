/*
 * npm run bench -- scale [--tenants N] [--keys N] [--rows N]: measures the routes of one tenant on a nearly empty
 * store. Adds N other tenants, keys and audit rows, then measures again. Prints a table. Fails if a route makes more or
 * fewer round trips than before, reads or writes more or fewer documents, or returns a list of a different length.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { PROJECT_ID } from '../../emulators/base/project.ts';
import { makeFirestoreClient } from '../../emulators/firestore/client.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { AUDIT } from '../../shared/audit/event.ts';
import { KEYS } from '../../shared/keys/key.ts';
import { connect } from '../../shared/store/connect.ts';
import { TENANTS } from '../../shared/tenancy/tenant.ts';
import { pathOf } from '../child.ts';
import { environment, sparePort, startService } from '../servers.ts';
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

/** The number of warm-up requests. They let V8 compile the code, and fill every page of the audit log that is read. */
const WARM_UP = 50;

// Without this setting, Google's client would look for the metadata server of Google Cloud.
process.env.METADATA_SERVER_DETECTION ??= 'none';
await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(stack.stop);
const firestore = `127.0.0.1:${portsOf(stack).firestore}`;
const meter = await startFirestoreMeter(firestore);
cleanup.defer(meter.stop);
const metered = { ...environment(stack), FIRESTORE_EMULATOR_HOST: meter.address };
const service = await startService(metered, sparePort(stack, 0));
cleanup.defer(service.stop);
const db = makeFirestoreClient(firestore);
cleanup.defer(() => db.terminate());
const api = connect({ project: PROJECT_ID, firestoreEmulatorHost: firestore });
cleanup.defer(() => api.close());

const routes = routesOf(api, await makeTenant(stack, service.url));
for (const route of routes) {
  for (let n = 0; n < WARM_UP; n++) await Promise.all([request(service, route), route.bare()]);
}
const empty = await measureAll();
const filledFrom = performance.now();
await promisify(execFile)(process.execPath, [pathOf('scale/fill.ts'), JSON.stringify(size)], {
  env: environment(stack),
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
if (changed.length > 0) throw new Error(`these routes have a different cost on a full store: ${changed.join(', ')}`);
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
