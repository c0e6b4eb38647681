import { randomUUID } from 'node:crypto';
import { readCases } from './cases.ts';
import { text } from './client.ts';
import type { GoodRequest } from './send-good.ts';
import { inviteTo } from './team.ts';
import type { Tenant, Tier } from './tenant.ts';

/**
 * Makes a valid request for every route that has a body, or an id in its path. Each request that changes or deletes an
 * object gets a new object. Keys have the given tier.
 */
export async function goodRequests(
  tenant: Tenant,
  tier: Tier = 'wrapped',
): Promise<Readonly<Record<string, GoodRequest>>> {
  const { api } = tenant;
  const named = () => ({ name: randomUUID() });

  const key = await tenant.createKey(tier);
  const plaintext = 'AAECAw==';
  const ciphertext = text(await api.send('POST', `/v1/keys/${key}/encrypt`, { plaintext }), 'ciphertext');
  const wrapped = text(await api.send('POST', `/v1/keys/${key}/wrap`, {}), 'wrapped');
  const invited = await inviteTo(tenant, 'auditor');

  return {
    'POST /v1/keys': { body: { ...named(), tier } },
    'POST /v1/keys/{id}/encrypt': { id: key, body: { plaintext } },
    'POST /v1/keys/{id}/decrypt': { id: key, body: { ciphertext } },
    'POST /v1/keys/{id}/wrap': { id: key, body: {} },
    'POST /v1/keys/{id}/unwrap': { id: key, body: { wrapped } },
    'POST /v1/keys/{id}/rewrap': { id: key, body: { ciphertext } },
    'POST /v1/invitations/preview': { body: { token: invited.token } },
    'POST /v1/invitations/accept': { body: { token: invited.token } },
    'POST /v1/webhooks/stripe': { body: {} },
    ...byBoth(await transitRequests(tenant, tier)),
    ...(await requestsOfCases(tenant, tier)),
  };
}

/** Makes the valid request of every case file. */
async function requestsOfCases(tenant: Tenant, tier: Tier): Promise<Record<string, GoodRequest>> {
  const cases = await readCases();
  const made = cases.map(async ({ call, request }) => [call, await request(tenant, tier)] as const);
  return Object.fromEntries(await Promise.all(made));
}

/**
 * Makes valid `POST` requests for the Transit routes. For the routes that create or rotate a key, also makes a `PUT`
 * request with a different key.
 */
async function transitRequests({ api, createKey }: Tenant, tier: Tier): Promise<Record<string, GoodRequest>> {
  const [id, rotated, other] = [randomUUID(), randomUUID(), randomUUID()];
  await createKey(tier, id);
  await createKey('software', rotated);
  await createKey('software', other);
  const plaintext = 'AAECAw==';
  const made = await api.send('POST', `/v1/transit/encrypt/${id}`, { plaintext });
  const ciphertext = String(Object(Object(made.body).data).ciphertext);
  return {
    'POST /v1/transit/encrypt/{name}': { id, body: { plaintext } },
    'POST /v1/transit/decrypt/{name}': { id, body: { ciphertext } },
    'POST /v1/transit/rewrap/{name}': { id, body: { ciphertext } },
    'POST /v1/transit/datakey/plaintext/{name}': { id, body: {} },
    'POST /v1/transit/datakey/wrapped/{name}': { id, body: {} },
    'GET /v1/transit/keys': { query: '?list=true' },
    'GET /v1/transit/keys/{name}': { id },
    'POST /v1/transit/keys/{name}': { id: randomUUID(), body: { tier } },
    'PUT /v1/transit/keys/{name}': { id: randomUUID(), body: { tier } },
    'POST /v1/transit/keys/{name}/rotate': { id: rotated, body: {} },
    'PUT /v1/transit/keys/{name}/rotate': { id: other, body: {} },
  };
}

/** Adds a `PUT` request for each `POST` request, unless the route already has a `PUT` request. */
function byBoth(requests: Record<string, GoodRequest>): Record<string, GoodRequest> {
  const twins = Object.entries(requests).map(([call, request]) => [call.replace('POST', 'PUT'), request]);
  return { ...Object.fromEntries(twins), ...requests };
}
