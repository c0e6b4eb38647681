import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { identify } from '../../../shared/auth/authenticate.ts';
import { InFlight } from '../../../shared/auth/in-flight.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import type { ApiKey } from '../../../shared/tenancy/api-key.ts';

/** No person has a tenant. */
const reads = { find: async () => undefined };

function makeRequest(inFlight: InFlight) {
  const turns = new Map<string, Disposable>();
  const request = { id: 'request-1', authorization: undefined, clientAddress: undefined, inFlight, turns };
  return {
    comesFrom: (sender: Parameters<typeof identify>[2]) => identify(reads, request, sender),
    end() {
      for (const turn of turns.values()) turn[Symbol.dispose]();
    },
  };
}

function apiKeyOf(tenant_id: TenantId) {
  const apiKey: ApiKey = {
    id: makeId(),
    tenant_id,
    container_id: makeId(),
    name: 'sender',
    secret_hash: '',
    allowed_actions: [],
    key_ids: null,
    firewall_id: null,
    created_at: makeInstant(0),
    last_used_at: null,
    revoked_at: null,
    expires_at: null,
    federations: [],
    has_token: true,
  };
  return { kind: 'api_key', apiKey, idToken: undefined } as const;
}

function makePerson() {
  return { kind: 'person', person: { subjectId: randomUUID(), email: null, name: null } } as const;
}

const [apiKey, person, tenantId] = [apiKeyOf(makeId()), makePerson(), makeId<TenantId>()];

test.each([
  ['api key', 256, () => apiKey, () => apiKeyOf(makeId())],
  ['user', 256, () => person, makePerson],
  ['tenant', 384, () => apiKeyOf(tenantId), () => apiKeyOf(makeId())],
] as const)(
  'each %s may have %i requests in flight, no matter how many requests others have in flight',
  async (who, limit, sender, another) => {
    const inFlight = new InFlight();
    const requests = Array.from({ length: limit }, () => makeRequest(inFlight));
    for (const request of requests) await request.comesFrom(sender());
    const refusal = { code: 'unavailable', message: `too many requests in progress for this ${who}` };
    await expect(makeRequest(inFlight).comesFrom(sender())).rejects.toMatchObject(refusal);
    await makeRequest(inFlight).comesFrom(another());
    requests[0]?.end();
    await makeRequest(inFlight).comesFrom(sender());
    await expect(makeRequest(inFlight).comesFrom(sender())).rejects.toMatchObject(refusal);
  },
);

test('a request counts once, even if its checks run repeatedly', async () => {
  const inFlight = new InFlight();
  const request = makeRequest(inFlight);
  for (let times = 0; times < 300; times++) await request.comesFrom(apiKey);
  for (let others = 0; others < 255; others++) await makeRequest(inFlight).comesFrom(apiKey);
  await expect(makeRequest(inFlight).comesFrom(apiKey)).rejects.toThrow('too many requests');
  request.end();
  await makeRequest(inFlight).comesFrom(apiKey);
});

test('a request that is refused because of its tenant’s limit does not count against its API key when it ends', async () => {
  const inFlight = new InFlight();
  for (let times = 0; times < 384; times++) await inFlight.tenants.take(apiKey.apiKey.tenant_id);
  for (let times = 0; times < 300; times++) {
    const request = makeRequest(inFlight);
    await expect(request.comesFrom(apiKey)).rejects.toThrow('for this tenant');
    request.end();
  }
});
