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

const beset = ownBesetService();

/** Some of what `npm run drill -- faults` goes through; what is too slow fails by its deadline, which other tests hold. */
test.each<[Part, Kind]>([
  ['kms', 'down'],
  ['kms', 'failing'],
  ['firestore', 'down'],
  ['firestore', 'failing'],
  ['pdp', 'failing'],
  ['idp', 'down'],
  ['stripe', 'down'],
])(
  'with %s %s every route is answered as it should be, does things whole or not at all, and is well again by itself',
  { timeout: 120_000 },
  async (part, kind) => {
    const { ordeals } = await goThrough(beset.stack, beset.service, CASES, part, kind);
    const flawed = ordeals.filter(({ flaws }) => flaws.length > 0);
    expect(flawed.map(({ of, flaws }) => `${of.call} by ${of.by}: ${flaws.join(', ')}`)).toEqual([]);
    expect(ordeals).toHaveLength(CASES.length);
    expect([...new Set(ordeals.map(({ of }) => of.call))].sort()).toEqual(ROUTES.map(({ call }) => call).sort());
  },
);

test('no two calls that change a key change the same one: while a part is slow, one would wait for the other', async () => {
  const requests = await goodRequests(await makeTenant(beset.service), 'software');
  const changes = Object.entries(requests).filter(([call]) => {
    return /^(PATCH|DELETE) \/v1\/keys|\/keys\/.*\/(rotate|restore|destroy)$/.test(call);
  });
  expect(changes).toHaveLength(7);
  expect(new Set(changes.map(([, { id }]) => id)).size).toBe(7);
});

/** The process has a heap of 192 MB, see besetService. */
test.each<[Part, Kind]>([
  ['firestore', 'down'],
  ['firestore', 'slow'],
])(
  'with %s %s a burst of requests is answered to the last, and nothing of it stays behind',
  { timeout: 120_000 },
  async (part, kind) => {
    const { service } = beset;
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
