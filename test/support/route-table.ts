import { methodOf, pathOf } from './calls.ts';
import { type Cases, readCases } from './cases.ts';

/** A route in the specification. */
export interface RouteRow {
  /** The method and the path, which identify the route. */
  readonly call: string;
  readonly credential: 'none' | 'api_key' | 'console' | 'newcomer' | 'either';
  /** The action that an API key needs. */
  readonly action?: string;
  readonly body?: true;
  /** Whether the route is a Transit route, which answers errors in Vault's format. */
  readonly transit?: true;
  /** The expected outcome of a valid request by a tenant with a subscription. */
  readonly good: string;
}

/** The Transit routes. Those with `POST` also exist with `PUT`. */
const TRANSIT: readonly RouteRow[] = (
  [
    { call: 'POST /v1/transit/encrypt/{name}', action: 'encrypt', body: true },
    { call: 'POST /v1/transit/decrypt/{name}', action: 'decrypt', body: true },
    { call: 'POST /v1/transit/rewrap/{name}', action: 'rewrap', body: true },
    { call: 'POST /v1/transit/datakey/plaintext/{name}', action: 'wrap', body: true },
    { call: 'POST /v1/transit/datakey/wrapped/{name}', action: 'wrap', body: true },
    { call: 'GET /v1/transit/keys' },
    { call: 'GET /v1/transit/keys/{name}' },
    { call: 'POST /v1/transit/keys/{name}', action: 'create', body: true },
    { call: 'POST /v1/transit/keys/{name}/rotate', action: 'rotate', body: true },
    { call: 'GET /v1/auth/token/lookup-self' },
    { call: 'POST /v1/auth/token/renew-self' },
  ] as const
).flatMap((own) => {
  const row: RouteRow = { ...own, credential: 'api_key', transit: true, good: '200' };
  return row.call.startsWith('POST') ? [row, { ...row, call: row.call.replace('POST', 'PUT') }] : [row];
});

/** The routes without a case file. `newcomer`: it accepts any session, even of a person without a tenant. */
export const TABLE: readonly RouteRow[] = [
  { call: 'POST /v1/keys', credential: 'either', action: 'create', body: true, good: '201' },
  { call: 'POST /v1/keys/{id}/encrypt', credential: 'api_key', action: 'encrypt', body: true, good: '200' },
  { call: 'POST /v1/keys/{id}/decrypt', credential: 'api_key', action: 'decrypt', body: true, good: '200' },
  { call: 'POST /v1/keys/{id}/wrap', credential: 'api_key', action: 'wrap', body: true, good: '200' },
  { call: 'POST /v1/keys/{id}/unwrap', credential: 'api_key', action: 'unwrap', body: true, good: '200' },
  { call: 'POST /v1/keys/{id}/rewrap', credential: 'api_key', action: 'rewrap', body: true, good: '200' },
  { call: 'GET /v1/me', credential: 'newcomer', good: '200' },
  { call: 'POST /v1/invitations/preview', credential: 'newcomer', body: true, good: '200' },
  { call: 'POST /v1/invitations/accept', credential: 'newcomer', body: true, good: '409 already_member' },
  { call: 'POST /v1/billing/checkout', credential: 'console', good: '409 billing_active' },
  { call: 'POST /v1/billing/portal', credential: 'console', good: '200' },
  { call: 'POST /v1/webhooks/stripe', credential: 'none', good: '400 invalid_request' },
  ...TRANSIT,
];

/** Every route of the service. */
export const ROUTES: readonly RouteRow[] = [...TABLE, ...(await readCases()).map(rowOf)];

function rowOf({ call, credential, action, body, transit, good }: Cases): RouteRow {
  return {
    ...{ call, credential, good },
    ...(action !== undefined && { action }),
    ...(body !== undefined && { body: true }),
    ...(transit && { transit }),
  };
}

const PATHS_OF_TABLE = new Set(TABLE.map(({ call }) => pathOf(call)));

/** The methods of each path in the table, with `HEAD` if the path has `GET`. */
export const METHODS_BY_PATH: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(ROUTES, ({ call }) => pathOf(call))]
    .filter(([path]) => PATHS_OF_TABLE.has(path))
    .map(([path, rows]) => [
      path,
      rows.flatMap(({ call }) => (methodOf(call) === 'GET' ? ['GET', 'HEAD'] : [methodOf(call)])),
    ]),
);

/** Returns the outcome of a refusal on a route. In Transit routes, Vault's 403 replaces 401. */
export function refusalBy({ transit }: RouteRow, refusal: string): string {
  return transit ? refusal.replace('401', '403') : refusal;
}
