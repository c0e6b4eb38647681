import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Extras } from './client.ts';
import type { Client, Tenant, Tier } from './tenant.ts';

/** What changes a valid request into one that the operation refuses. Fields of `body` replace those of the valid body. */
export interface Change {
  readonly as?: Client;
  readonly id?: string;
  /** The id of the key whose name is `id`. */
  readonly keyId?: string;
  readonly query?: string;
  readonly body?: object;
  /** The headers and the body, which replace the valid body. */
  readonly extras?: Extras;
}

/** The outcome of a refused request, such as `409 key_exists`, and what is wrong with the request. */
export type Refusal = readonly [outcome: string, change: Change | ((tenant: Tenant) => Promise<Change>)];

/** What clients rely on in an operation. Its values are written out, so that a mistake in the route is noticed. */
export interface Cases {
  /** The method and the path, with `{id}` in place of an id and `{name}` in place of a name. */
  readonly call: string;
  /** `newcomer`: any session, even of a person without a tenant. */
  readonly credential: 'none' | 'api_key' | 'console' | 'newcomer' | 'either';
  /** The action that an API key needs. */
  readonly action?: string;
  /** The roles of the members who may call the operation. */
  readonly roles?: readonly ('owner' | 'admin' | 'auditor')[];
  readonly body?: 'required' | 'optional';
  /** Whether this is a Transit route, which answers errors in Vault's format. */
  readonly transit?: true;
  /** The query parameters. */
  readonly query?: readonly string[];
  /** The outcome of a valid request by a tenant with a subscription. */
  readonly good: string;
  /** The outcome of a valid request by a member of the tenant, if it differs from that of a newcomer. */
  readonly ofMember?: string;
  /** The operation in the events of successes and of recorded refusals. */
  readonly event?: string;
  /** Whether the operation changes the tenant itself, although its path has no id. */
  readonly isAboutTenant?: true;
  /** Whether the operation also accepts destroyed keys. */
  readonly readsDestroyed?: true;
  /** The changes in the event of a success. */
  readonly changes?: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  /** The dependencies that the operation needs, except the identity provider for a session. */
  readonly dependencies: readonly ('firestore' | 'kms' | 'pdp' | 'stripe')[];
  /** Whether the operation also needs the KMS if the key's material is in the KMS. */
  readonly usesMaterial?: true;
  /** Makes a valid request, which nobody has sent yet, and the objects that it needs. */
  readonly request: (tenant: Tenant, tier: Tier) => GoodRequest | Promise<GoodRequest>;
  /** The refusals by the checks that other operations do not share, in the order of these checks. */
  readonly refuses?: readonly Refusal[];
}

const known = new Map<string, Cases>();
let reading = false;

/** Registers the cases of an operation. Returns whether the case file only describes the operation now. */
export function noteCases(cases: Cases): boolean {
  known.set(cases.call, cases);
  return reading;
}

/** Reads every case file without running its tests. Returns the cases of every operation. */
export async function readCases(): Promise<readonly Cases[]> {
  const root = join(import.meta.dirname, '../..');
  reading = true;
  try {
    for (const file of globSync('functions/**/*.test.ts', { cwd: root }).sort()) await import(join(root, file));
  } finally {
    reading = false;
  }
  return [...known.values()];
}

/** Returns the method of a call, which is a method and a path. */
export function methodOf(call: string): string {
  return call.split(' ')[0] ?? '';
}

/** Returns the path of a call, with `{id}` in place of an id and `{name}` in place of a name. */
export function pathOf(call: string): string {
  return call.split(' ')[1] ?? '';
}

/** Returns a path with an id or name filled in. */
export function fillPath(path: string, id: string): string {
  return path.replace(/\{(?:id|name)\}/, () => encodeURIComponent(id));
}

/** The parts of a valid request besides its method and path. */
export interface GoodRequest {
  /** The id or name in the path. The object was made for this request. */
  readonly id?: string;
  /** The id of the key, if the path has its name. */
  readonly keyId?: string;
  readonly query?: string;
  readonly body?: unknown;
}

/** Sends a request for a route (`call`) with the client's credential. `extras` can replace the body. */
export function sendCall(
  client: Client,
  call: string,
  { id = '', query = '', body }: GoodRequest,
  extras: Extras = { body },
): Promise<Answer> {
  return client.send(methodOf(call), `${fillPath(pathOf(call), id)}${query}`, undefined, extras);
}

/** Sends the valid request for a route (`call`) with the client's credential. */
export function sendGood(
  client: Client,
  call: string,
  requests: Readonly<Record<string, GoodRequest>>,
): Promise<Answer> {
  return sendCall(client, call, requests[call] ?? {});
}

/**
 * Makes the valid request of every case file. Each request that changes or deletes an object gets a new object. Keys have
 * the given tier.
 */
export async function goodRequests(
  tenant: Tenant,
  tier: Tier = 'wrapped',
): Promise<Readonly<Record<string, GoodRequest>>> {
  const cases = await readCases();
  const made = cases.map(async ({ call, request }) => [call, await request(tenant, tier)] as const);
  return Object.fromEntries(await Promise.all(made));
}
