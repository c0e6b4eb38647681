import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { sendRaw } from '../../support/raw.ts';
import { startSecondService } from '../../support/second-service.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '403 ip_not_allowed';

/**
 * For each number of trusted proxies: a description of the header X-Forwarded-For, its lines, and the expected answer.
 */
const CASES: readonly (readonly [string, readonly (readonly [string, readonly string[], string])[]])[] = [
  [
    '1',
    [
      ['only the client', ['192.0.2.1'], '200'],
      ['a false entry before the client', ['192.0.2.1, 203.0.113.9'], REFUSED],
      ['a false entry with a refused address', ['203.0.113.9, 192.0.2.1'], '200'],
      ['an empty last entry', ['192.0.2.1,'], REFUSED],
      ['an address with a port', ['192.0.2.1:443'], REFUSED],
      ['an IPv4-mapped address', ['::ffff:192.0.2.1'], '200'],
    ],
  ],
  [
    '2',
    [
      ['the client and one proxy', ['192.0.2.1, 198.51.100.1'], '200'],
      ['one entry, because the request bypassed a proxy', ['192.0.2.1'], REFUSED],
      ['a false entry before the client', ['192.0.2.1, 203.0.113.9, 198.51.100.1'], REFUSED],
    ],
  ],
];

const services = new Map<string, Awaited<ReturnType<typeof startSecondService>>>();
let client: Client;
beforeAll(async () => {
  const tenant = await makeTenant(stack);
  const networks = { name: randomUUID(), allowed_ips: ['192.0.2.1', '2001:db8::/32'] };
  const firewall_id = text(await tenant.console.send('POST', '/v1/firewalls', networks), 'id');
  ({ client } = await tenant.mint({ firewall_id }));
  for (const [hops] of CASES) services.set(hops, await startSecondService(stack, { TRUSTED_PROXY_HOPS: hops }));
});
afterAll(() => Promise.all([...services.values()].map((service) => service.stop())));

function ask(hops: string, lines: readonly string[]) {
  const service = services.get(hops);
  if (service === undefined) throw new Error(`no service behind ${hops} proxies`);
  return sendRaw(service, 'GET /v1/keys', [`authorization: Bearer ${client.token}`, ...lines]);
}

describe.each(CASES)('X-Forwarded-For with TRUSTED_PROXY_HOPS=%s', (hops, cases) => {
  test.each(cases)('a request whose X-Forwarded-For contains %s (%j) gets %s', async (_, entries, expected) => {
    const lines = entries.map((entry) => `x-forwarded-for: ${entry}`);
    const others = ['x-real-ip: 192.0.2.1', 'forwarded: for=192.0.2.1', 'x_forwarded_for: 192.0.2.1'];
    expect(outcome(await ask(hops, [...lines, ...others]))).toBe(expected);
  });
});

test('the message of a firewall refusal contains only the address that was checked', async () => {
  const answer = await ask('1', ['x-forwarded-for: 192.0.2.1, 203.0.113.9']);
  expect(text(answer, 'message')).toContain('203.0.113.9');
  expect(text(answer, 'message')).not.toContain('192.0.2.1');
});
