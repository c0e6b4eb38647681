import { EVENTS, ROW_SHARDS } from '../../shared/audit/event.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { monthOf } from '../../shared/base/month.ts';
import { KEYS, KEYS_OF_CONTAINER, LIVE_STATES } from '../../shared/keys/key.ts';
import { COUNTS_OF_CONTAINER } from '../../shared/metering/counter.ts';
import type { FirestoreApi } from '../../shared/store/firestore-api.ts';
import { type Query, structuredQuery, type Values } from '../../shared/store/query.ts';
import { TIERS } from '../../shared/tiers.ts';
import { commitOne } from './bare-commit.ts';
import type { MeasuredTenant, UsedKey } from './tenant.ts';

/** A route to measure. For comparison, `bare` makes only the calls to Firestore that the route needs. */
export interface MeasuredRoute {
  readonly name: string;
  readonly path: string;
  readonly token: string;
  /** The body of a POST request. If it is undefined, the request is a GET. */
  readonly body: string | undefined;
  readonly bare: () => Promise<unknown>;
}

/** Returns the routes whose cost must not grow with the store. */
export function routesOf(api: FirestoreApi, tenant: MeasuredTenant): MeasuredRoute[] {
  const keys = TIERS.flatMap((tier) => tenant.keys.find((key) => key.tier === tier) ?? []);
  return [...keys.flatMap((key) => meteredRoutes(api, tenant, key)), ...readingRoutes(api, tenant)];
}

function meteredRoutes(
  api: FirestoreApi,
  { apiKey }: MeasuredTenant,
  { id, tier, ciphertext }: UsedKey,
): MeasuredRoute[] {
  const plaintext = Buffer.alloc(1024).toString('base64');
  const bodies = { encrypt: { plaintext }, decrypt: { ciphertext }, rewrap: { ciphertext } };
  return Object.entries(bodies).map(([operation, body]) => ({
    name: `${operation}, ${tier}`,
    path: `/v1/keys/${id}/${operation}`,
    token: apiKey,
    body: JSON.stringify(body),
    bare: () => commitOne(api),
  }));
}

function readingRoutes(api: FirestoreApi, tenant: MeasuredTenant): MeasuredRoute[] {
  const { tenantId, containerId, apiKey, accessToken } = tenant;
  const [key] = tenant.keys;
  if (key === undefined) throw new Error('the tenant has no key');
  const month = monthOf(makeClock().now());
  const get = <Doc>(query: Query<Doc>, values: Values) =>
    api.query(structuredQuery(query, values, (path) => api.nameOf(path)));
  const keys = () => get(KEYS_OF_CONTAINER, { equal: [containerId], anyOf: LIVE_STATES });
  const counts = () => get(COUNTS_OF_CONTAINER, { equal: [containerId, month] });
  const eventsOfKey = () =>
    get(EVENTS, { equal: [tenantId], anyOf: ROW_SHARDS, filters: { key_id: key.id }, limit: 101 });
  const eventsOfTenant = () => get(EVENTS, { equal: [tenantId], anyOf: ROW_SHARDS, limit: 101 });
  const onKey = `/v1/keys/${key.id}`;
  const read = { token: apiKey, body: undefined };
  return [
    { name: 'read a key', path: onKey, ...read, bare: () => api.read([`${KEYS.name}/${key.id}`]) },
    { name: 'list keys', path: '/v1/keys', ...read, bare: keys },
    { name: "a key's audit", path: `${onKey}/audit`, ...read, bare: eventsOfKey },
    { name: "the tenant's audit", path: '/v1/audit', ...read, token: accessToken, bare: eventsOfTenant },
    { name: 'usage', path: '/v1/usage', ...read, bare: () => Promise.all([keys(), counts()]) },
  ];
}
