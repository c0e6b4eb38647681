import http from 'node:http';
import { expect, test } from 'vitest';
import type { Kind, Part } from '../../reliability/beset-service.ts';
import { CASES } from '../../reliability/expectations.ts';
import { goThrough } from '../../reliability/fault-run.ts';
import { ownBesetService } from '../../reliability/own-beset-service.ts';
import { inAWord, post } from '../../reliability/tracked-request.ts';
import { outcome } from '../../support/client.ts';
import { goodRequests } from '../../support/good-requests.ts';
import { operate } from '../../support/operations.ts';
import { ROUTES } from '../../support/route-table.ts';
import { makeTenant } from '../../support/tenant.ts';

const faulty = ownBesetService();

/** `npm run drill -- faults` runs more cases. Slow dependencies are not tested here, but in the tests of deadlines. */
test.each<[Part, Kind]>([
  ['kms', 'down'],
  ['kms', 'failing'],
  ['firestore', 'down'],
  ['firestore', 'failing'],
  ['pdp', 'failing'],
  ['idp', 'down'],
  ['stripe', 'down'],
])(
  'while the dependency %s is %s, every route gives the expected answer and makes no partial change, and recovers by itself',
  { timeout: 120_000 },
  async (part, kind) => {
    const { ordeals } = await goThrough(faulty.stack, faulty.service, CASES, part, kind);
    const flawed = ordeals.filter(({ flaws }) => flaws.length > 0);
    expect(flawed.map(({ of, flaws }) => `${of.call} by ${of.by}: ${flaws.join(', ')}`)).toEqual([]);
    expect(ordeals).toHaveLength(CASES.length);
    expect([...new Set(ordeals.map(({ of }) => of.call))].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
  },
);

test('goodRequests uses a different key for each of the seven requests that change a key, so that no request waits for another', async () => {
  const requests = await goodRequests(await makeTenant(faulty.service), 'software');
  const changes = Object.entries(requests).filter(([call]) => {
    return /^(PATCH|DELETE) \/v1\/keys|\/keys\/.*\/(rotate|restore|destroy)$/.test(call);
  });
  expect(changes).toHaveLength(7);
  expect(new Set(changes.map(([, { id }]) => id)).size).toBe(7);
});

/** A burst could exhaust the memory of the service, whose heap is limited to 192 MB (see besetService). */
test.each<[Part, Kind]>([
  ['firestore', 'down'],
  ['firestore', 'slow'],
])(
  'while the dependency %s is %s, every request of a burst gets 500, and the service works again afterwards',
  { timeout: 120_000 },
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
    expect(new Set(endings.map(inAWord))).toEqual(new Set(['500 internal_error']));
    await service.set(part, null);
    await expect
      .poll(async () => outcome(await operate(tenant.api, keyId, 'wrap', {})), { timeout: 15_000 })
      .toBe('200');
    agent.destroy();
  },
);
