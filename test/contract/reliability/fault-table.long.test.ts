import http from 'node:http';
import { expect, test } from 'vitest';
import { CASES } from '../../reliability/expectations.ts';
import { callDuringFault } from '../../reliability/faults.ts';
import { ownProxiedService } from '../../reliability/own-proxied-service.ts';
import type { Kind, Part } from '../../reliability/proxied-service.ts';
import { post } from '../../reliability/tracked-request.ts';
import { goodRequests } from '../../support/cases.ts';
import { outcome } from '../../support/client.ts';
import { operate } from '../../support/operations.ts';
import { ROUTES } from '../../support/route-table.ts';
import { makeTenant } from '../../support/tenant.ts';

const faulty = ownProxiedService();

/** `npm run drill -- faults` runs more cases. Slow dependencies are not tested here, but in the tests of deadlines. */
test.each<[Part, Kind]>([
  ['kms', 'down'],
  ['kms', 'failing'],
  ['firestore', 'down'],
  ['firestore', 'failing'],
  ['pdp', 'down'],
  ['pdp', 'failing'],
  ['idp', 'down'],
  ['stripe', 'down'],
  ['kms', 'silent'],
  ['kms', 'silent connects'],
  ['firestore', 'silent'],
  ['firestore', 'silent answers'],
  ['firestore', 'silent connects'],
  ['pdp', 'silent'],
  ['pdp', 'silent connects'],
  ['idp', 'silent connects'],
  ['stripe', 'silent'],
  ['stripe', 'silent connects'],
])(
  'while the dependency %s is %s, every route gives the expected answer and makes no partial change, and works again after the fault without a restart',
  async (part, kind) => {
    const { results } = await callDuringFault(faulty.stack, faulty.service, part, kind);
    const flawed = results.filter(({ flaws }) => flaws.length > 0);
    expect(flawed.map(({ testCase, flaws }) => `${testCase.call} by ${testCase.by}: ${flaws.join(', ')}`)).toEqual([]);
    expect(results).toHaveLength(CASES.length);
    const called = new Set(results.map(({ testCase }) => testCase.call));
    expect([...called].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
  },
);

test('goodRequests uses a different key for each of the nine requests that change a key, so that no request waits for another', async () => {
  const requests = await goodRequests(await makeTenant(faulty.service), 'software');
  const changes = Object.entries(requests).filter(([call]) => {
    return /^(PATCH|DELETE) \/v1\/keys|\/keys\/.*\/(rotate|restore|freeze|thaw|destroy)$/.test(call);
  });
  expect(changes).toHaveLength(9);
  expect(new Set(changes.map(([, { id }]) => id)).size).toBe(9);
});

/** A burst could exhaust the memory of the service, whose heap is limited to 192 MB (see makeProxiedService). */
test.each<[Part, Kind]>([
  ['firestore', 'down'],
  ['firestore', 'slow'],
])(
  'while the dependency %s is %s, every request of a burst gets 500, and the service works again afterwards',
  async (part, kind) => {
    const { service } = faulty;
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
    expect(new Set(endings)).toEqual(new Set(['500 internal_error']));
    await service.set(part, null);
    await expect.poll(async () => outcome(await operate(tenant.api, keyId, 'wrap', {}))).toBe('200');
    agent.destroy();
  },
);
