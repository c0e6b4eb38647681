import http from 'node:http';
import { expect, test } from 'vitest';
import { CASES } from '../../reliability/expectations.ts';
import { callDuringFault } from '../../reliability/fault-run.ts';
import { ownProxiedService } from '../../reliability/own-proxied-service.ts';
import type { Kind, Part } from '../../reliability/proxied-service.ts';
import { describeEnding, post } from '../../reliability/tracked-request.ts';
import { outcome } from '../../support/client.ts';
import { goodRequests } from '../../support/good-requests.ts';
import { operate } from '../../support/operations.ts';
import { ROUTES } from '../../support/route-table.ts';
import { makeTenant } from '../../support/tenant.ts';

const own = ownProxiedService();

/** Some cases of `npm run drill -- faults`. Other tests check the deadlines of slow dependencies. */
test.each<[Part, Kind]>([
  ['kms', 'down'],
  ['kms', 'failing'],
  ['firestore', 'down'],
  ['firestore', 'failing'],
  ['pdp', 'failing'],
  ['idp', 'down'],
  ['stripe', 'down'],
])(
  'with the dependency %s %s, every route gives the expected answer, makes no partial change and recovers by itself',
  { timeout: 120_000 },
  async (part, kind) => {
    const { results } = await callDuringFault(own.stack, own.service, CASES, part, kind);
    const flawed = results.filter(({ flaws }) => flaws.length > 0);
    expect(flawed.map(({ testCase, flaws }) => `${testCase.call} by ${testCase.by}: ${flaws.join(', ')}`)).toEqual([]);
    expect(results).toHaveLength(CASES.length);
    const called = new Set(results.map(({ testCase }) => testCase.call));
    expect([...called].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
  },
);

test('each of the seven requests that change a key uses a different key, so that no request waits for another', async () => {
  const requests = await goodRequests(await makeTenant(own.service), 'software');
  const changes = Object.entries(requests).filter(([call]) => {
    return /^(PATCH|DELETE) \/v1\/keys|\/keys\/.*\/(rotate|restore|destroy)$/.test(call);
  });
  expect(changes).toHaveLength(7);
  expect(new Set(changes.map(([, { id }]) => id)).size).toBe(7);
});

/** A burst could exhaust the memory of the service, whose heap is limited to 192 MB (see makeProxiedService). */
test.each<[Part, Kind]>([
  ['firestore', 'down'],
  ['firestore', 'slow'],
])(
  'with the dependency %s %s, every request of a burst is answered with 500, and the service works again afterwards',
  { timeout: 120_000 },
  async (part, kind) => {
    const { service } = own;
    const tenant = await makeTenant(service);
    const keyId = await tenant.createKey('wrapped');
    const agent = new http.Agent({ keepAlive: true, maxSockets: 300 });
    const url = `${service.baseUrl}/v1/keys/${keyId}/encrypt`;
    const body = { plaintext: Buffer.alloc(65_536).toString('base64') };
    await service.set(part, kind);
    const burst = Array.from({ length: 300 }, () => {
      return post(agent, url, { authorization: `Bearer ${tenant.api.token}` }, body);
    });
    const endings = await Promise.all(burst.map(({ ending }) => ending));
    expect(new Set(endings.map(describeEnding))).toEqual(new Set(['500 internal_error']));
    await service.set(part, null);
    await expect
      .poll(async () => outcome(await operate(tenant.api, keyId, 'wrap', {})), { timeout: 15_000 })
      .toBe('200');
    agent.destroy();
  },
);
