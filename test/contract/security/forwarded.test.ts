import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { sendRaw } from '../../support/raw.ts';
import { startSecondService } from '../../support/second-service.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const tenant = await makeTenant(stack);
const networks = { name: randomUUID(), allowed_ips: ['192.0.2.1', '2001:db8::/32'] };
const firewall_id = text(await tenant.console.send('POST', '/v1/firewalls', networks), 'id');
const { client } = await tenant.mint({ firewall_id });

const REFUSED = '403 ip_not_allowed';

/** How many proxies are ours, what arrives from the innermost of them, and how an API key held to 192.0.2.1 is answered. */
const CASES: readonly (readonly [string, readonly (readonly [string, readonly string[], string])[]])[] = [
  [
    '1',
    [
      ['the client', ['192.0.2.1'], '200'],
      ['a client that claims to be another', ['192.0.2.1, 203.0.113.9'], REFUSED],
      ['a client that claims so on a separate line', ['192.0.2.1', '203.0.113.9'], REFUSED],
      ['a client that claims to be behind many', [`${'192.0.2.1, '.repeat(50)}203.0.113.9`], REFUSED],
      ['a client that claims to be someone else', ['203.0.113.9, 192.0.2.1'], '200'],
      ['no entry', [], REFUSED],
      ['an empty one', [''], REFUSED],
      ['an empty last one', ['192.0.2.1,'], REFUSED],
      ['an address with a port', ['192.0.2.1:443'], REFUSED],
      ['an address in brackets', ['[2001:db8::1]'], REFUSED],
      ['an address of IPv6', ['2001:db8::1'], '200'],
      ['an IPv4-mapped one', ['::ffff:192.0.2.1'], '200'],
      ['an octal spelling', ['192.0.2.01'], REFUSED],
      ['a number', ['3221225985'], REFUSED],
      ['a name', ['unknown'], REFUSED],
    ],
  ],
  [
    '2',
    [
      ['client and proxy', ['192.0.2.1, 198.51.100.1'], '200'],
      ['only a proxy, as when the request goes around it', ['192.0.2.1'], REFUSED],
      ['a client that claims to be another', ['192.0.2.1, 203.0.113.9, 198.51.100.1'], REFUSED],
    ],
  ],
];

const services = new Map<string, Awaited<ReturnType<typeof startSecondService>>>();
for (const [hops] of CASES) services.set(hops, await startSecondService(stack, { TRUSTED_PROXY_HOPS: hops }));
afterAll(() => Promise.all([...services.values()].map((service) => service.stop())));

function ask(hops: string, lines: readonly string[]) {
  const service = services.get(hops);
  if (service === undefined) throw new Error(`no service behind ${hops} proxies`);
  return sendRaw(service, 'GET /v1/keys', [`authorization: Bearer ${client.token}`, ...lines]);
}

describe.each(CASES)('behind %s proxies of ours, X-Forwarded-For counts from the right', (hops, cases) => {
  test.each(cases)('%s: %j is %s', async (_, entries, expected) => {
    const lines = entries.map((entry) => `x-forwarded-for: ${entry}`);
    const others = ['x-real-ip: 192.0.2.1', 'forwarded: for=192.0.2.1', 'x_forwarded_for: 192.0.2.1'];
    expect(outcome(await ask(hops, [...lines, ...others]))).toBe(expected);
  });
});

test('the refusal names the address that counted, and no other', async () => {
  const answer = await ask('1', ['x-forwarded-for: 192.0.2.1, 203.0.113.9']);
  expect(text(answer, 'message')).toContain('203.0.113.9');
  expect(text(answer, 'message')).not.toContain('192.0.2.1');
});
