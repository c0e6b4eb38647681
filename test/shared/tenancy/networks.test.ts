import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FirewallId, type KeyId, makeId } from '../../../shared/base/ids.ts';
import { isInNetworks, parseNetworks, plainAddress } from '../../../shared/tenancy/networks.ts';
import { isRaised, ROLES } from '../../../shared/tenancy/role.ts';
import { opensFirewall, widensAccess } from '../../../shared/tenancy/weakening.ts';

function refusal(message: string | RegExp = '') {
  return expect.objectContaining({ code: 'invalid_allowed_ips', message: expect.stringMatching(message) });
}

test.each([
  ['192.0.2.1', '192.0.2.1/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['192.0.2.1/32', '192.0.2.1/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['128.0.0.0/1', '128.0.0.0/1'],
  ['255.255.255.255', '255.255.255.255/32'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['::/0', '::/0'],
  ['::1', '::1/128'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1/128'],
  ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::1/128'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
  ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
  ['2001:db8:8000::/33', '2001:db8:8000::/33'],
  ['::ffff:192.0.2.1', '192.0.2.1/32'],
  ['::ffff:c000:200/120', '192.0.2.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::192.0.2.1', '::c000:201/128'],
  ['::192.0.2.0/120', '::c000:200/120'],
  ['192.0.2.128/25', '192.0.2.128/25'],
  ['0.0.0.0', '0.0.0.0/32'],
  ['2001:DB8:0:0::/64', '2001:db8::/64'],
  // RFC 5952 §4.2: `::` replaces the longest run of zero fields, and the first of two equally long runs. It never
  // replaces a single zero field.
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1/128'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
  ['2001:db8::192.0.2.1', '2001:db8::c000:201/128'],
  ['::', '::/128'],
  ['fe80::/10', 'fe80::/10'],
])('the network %s is stored as %s', (entry, stored) => {
  expect(parseNetworks([entry])).toEqual([stored]);
});

test.each([
  ['192.0.2.1/24', '192.0.2.0/24'],
  ['192.0.2.1/0', '0.0.0.0/0'],
  ['192.0.2.129/25', '192.0.2.128/25'],
  ['2001:db8::1/64', '2001:db8::/64'],
  ['2001:DB8::1/127', '2001:db8::/127'],
  ['::ffff:192.0.2.1/120', '192.0.2.0/24'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['2001:db8:0:1::/48', '2001:db8::/48'],
  ['::1/0', '::/0'],
])('the network %s has host bits set and is refused with an error that suggests %s', (entry, meant) => {
  expect(() => parseNetworks([entry])).toThrow(refusal());
  expect(() => parseNetworks([entry])).toThrow(expect.objectContaining({ message: expect.stringContaining(meant) }));
});

test.each([
  ...['', ' ', 'localhost', 'example.com', '192.0.2', '192.0.2.1.1', '192.0.2.256', '192.0.02.1'],
  ...['0xc0.0.2.1', '3221225985', '192.0.2.1:443', '[2001:db8::1]', '192.0.2.0/33', '192.0.2.0/-1'],
  ...['0.0.0.0/-1', '192.0.2.0/', '192.0.2.0/024', '192.0.2.0/+24', '192.0.2.0/ 24', '192.0.2.0/24.0'],
  ...['192.0.2.0/24.5', '192.0.2.0/255.255.255.0', '192.0.2.0/24/24', '/24', ' 192.0.2.0/24'],
  ...['192.0.2.0/24 ', '192.0.2.0/24\n', '192.0.2.0-192.0.2.255', '192.0.2.*'],
  ...['192.0.2.0/24,198.51.100.0/24', '2001:db8::/129', '2001:db8::1::1', '2001:db8::g', 'fe80::1%eth0'],
  ...['fe80::%eth0/10', ':::', '192.0.2.01', '0300.0.2.1', '0x7f.0.0.1', '192.0.2.0/1e1', '192.0.2.0 /24'],
  ...['\u0661\u0669\u0662.0.2.1', '2001:db8', '1::2::3', '12345::', '1:2:3:4:5:6:7:8:9', '2001:db8:: /32'],
  ...['[::1]', '[::1]:443', '::ffff:192.0.2.256'],
])('the invalid network "%s" is refused with an error that quotes it', (entry) => {
  const named = { message: expect.stringContaining(JSON.stringify(entry)) };
  expect(() => parseNetworks([entry])).toThrow(refusal());
  expect(() => parseNetworks([entry])).toThrow(expect.objectContaining(named));
});

test('a very long invalid network is refused with a short error', () => {
  expect(() => parseNetworks(['1'.repeat(100_000)])).toThrow(refusal(/^.{1,200}$/));
});

describe('the networks of a firewall', () => {
  const networks = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`);

  test('a firewall has 1 to 64 networks', () => {
    expect(parseNetworks(networks(1))).toHaveLength(1);
    expect(parseNetworks(networks(64))).toHaveLength(64);
    const refused = refusal('allowed_ips must have 1 to 64 networks');
    expect(() => parseNetworks([])).toThrow(refused);
    expect(() => parseNetworks(networks(65))).toThrow(refused);
  });

  test('networks are stored in their order and without duplicates', () => {
    expect(parseNetworks(['2001:db8::1', '192.0.2.1', '2001:DB8::1/128', '192.0.2.1/32'])).toEqual([
      '2001:db8::1/128',
      '192.0.2.1/32',
    ]);
  });

  test('a list with one invalid network is refused as a whole', () => {
    for (const list of [
      ['192.0.2.1', 'x'],
      ['x', '192.0.2.1'],
    ])
      expect(() => parseNetworks(list)).toThrow(refusal());
  });

  test('networks in their stored form do not change when they are sent again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const stored = parseNetworks([address]);
        expect(parseNetworks(stored)).toEqual(stored);
        expect(isInNetworks(stored, address)).toBe(true);
      }),
    );
  });
});

const OFFICE = ['192.0.2.0/24', '198.51.100.7/32', '2001:db8:1::/48'];

test.each([
  ...['192.0.2.0', '192.0.2.255', '198.51.100.7', '2001:db8:1::', '2001:db8:1:ffff:ffff:ffff:ffff:ffff'],
  ...['2001:0DB8:0001:0000:0000:0000:0000:0001', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201'],
  ...['0:0:0:0:0:ffff:c000:201', '2001:db8:1::1%eth0'],
])('%j is inside the networks', (address) => {
  expect(isInNetworks(OFFICE, address)).toBe(true);
});

test('a link-local address is inside its network, with or without its zone', () => {
  expect(isInNetworks(['fe80::/10'], 'fe80::1%eth0')).toBe(true);
  expect(isInNetworks(['fe80::/10'], 'fe80::1')).toBe(true);
});

test('every address is inside the network 0.0.0.0/0 or ::/0 of its family', () => {
  expect(isInNetworks(['0.0.0.0/0'], '203.0.113.9')).toBe(true);
  expect(isInNetworks(['0.0.0.0/0'], '::ffff:203.0.113.9')).toBe(true);
  expect(isInNetworks(['::/0'], '2001:db8::1')).toBe(true);
});

test.each([
  ...['192.0.1.255', '192.0.3.0', '198.51.100.6', '2001:db8:2::', '::ffff:192.0.3.0', '::ffff:c000:300'],
  ...['::192.0.2.1', '64:ff9b::192.0.2.1'],
])('%j is outside the networks', (address) => {
  expect(isInNetworks(OFFICE, address)).toBe(false);
});

test.each(['::/0', '::/1', '::/80'])('an IPv4 address is outside the IPv6 network %s', (network) => {
  expect(isInNetworks([network], '192.0.2.1')).toBe(false);
  expect(isInNetworks([network], '::ffff:192.0.2.1')).toBe(false);
  expect(isInNetworks([network], '::ffff:c000:201')).toBe(false);
});

test('an IPv6 address is outside the network of all IPv4 addresses', () => {
  for (const address of ['2001:db8::1', '::1', '::']) expect(isInNetworks(['0.0.0.0/0'], address)).toBe(false);
});

test.each([
  ...['', 'localhost', '192.0.2.1:443', '[2001:db8:1::1]', '192.0.2.1/32', '192.0.2', '192.0.2.256'],
  ...['192.0.02.1', '3221225985', ' 192.0.2.1', '192.0.2.1, 192.0.2.2', 'unknown'],
])('text that is not an address is outside all networks: %j', (text) => {
  expect(isInNetworks([...OFFICE, '0.0.0.0/0', '::/0'], text)).toBe(false);
});

test('no address is inside an invalid network', () => {
  for (const network of ['', '/0', 'localhost/0']) expect(isInNetworks([network], '192.0.2.1'), network).toBe(false);
});

test('no address is inside an empty list of networks', () => {
  expect(isInNetworks([], '192.0.2.1')).toBe(false);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['', ''],
])('the plain form of the address "%s" is "%s"', (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});

const opens = (before: readonly string[], after: readonly string[]) =>
  opensFirewall({ before: parseNetworks(before), after: parseNetworks(after) });

test.each([
  ['a wider network instead of the old network', ['192.0.2.0/24'], ['192.0.2.0/23']],
  ['all IPv4 addresses instead of all IPv6 addresses', ['::/0'], ['0.0.0.0/0']],
  ['an IPv6 address instead of all IPv4 addresses', ['0.0.0.0/0'], ['::1']],
])('this change makes a firewall admit addresses that it refused before: %s', (_, before, after) =>
  expect(opens(before, after)).toBe(true),
);

const LAST = ['255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'];

test.each([
  ['joining networks that overlap', ['10.0.0.0/9', '10.0.0.0/8', '11.0.0.0/8'], ['10.0.0.0/7']],
  ['only the last IPv4 and IPv6 addresses instead of all addresses', ['0.0.0.0/0', '::/0'], LAST],
  ['the same address written as IPv6', ['192.0.2.1'], ['::ffff:192.0.2.1']],
])('this change does not make a firewall admit addresses that it refused before: %s', (_, before, after) =>
  expect(opens(before, after)).toBe(false),
);

/** The addresses in this test differ only in their last four bits, so that most lists of networks overlap. */
const BITS = 4;
const network = fc
  .tuple(fc.constantFrom('192.0.2.', '2001:db8::'), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: BITS }))
  .map(([base, host, bits]) => {
    const first = host - (host % 2 ** (BITS - bits));
    return base === '192.0.2.' ? `${base}${first}/${28 + bits}` : `${base}${first.toString(16)}/${124 + bits}`;
  });
const overlapping = fc.array(network, { minLength: 1, maxLength: 8 });
const ADDRESSES = Array.from({ length: 16 }, (_, host) => [`192.0.2.${host}`, `2001:db8::${host.toString(16)}`]).flat();

test('a firewall is weakened exactly if the change admits an address that was not admitted before', () => {
  fc.assert(
    fc.property(overlapping, overlapping, (before, after) => {
      const isNew = (address: string) => isInNetworks(after, address) && !isInNetworks(before, address);
      expect(opens(before, after)).toBe(ADDRESSES.some(isNew));
    }),
    { numRuns: 1_000 },
  );
});

function federation(sub: string) {
  return { issuer: 'https://issuer.example', claims: [{ name: 'sub', value: sub }] };
}

const [key, other] = [makeId<KeyId>(), makeId<KeyId>()];
const [firewall, otherFirewall] = [makeId<FirewallId>(), makeId<FirewallId>()];
const [ci, deploy] = [federation('ci'), federation('deploy')];
const [before9, at9, after9] = ['08', '09', '10'].map((hour) => `2027-01-01T${hour}:00:00.000000Z`);
const before = {
  allowed_actions: ['encrypt' as const],
  key_ids: [key],
  firewall_id: firewall,
  expires_at: at9 ?? null,
  federations: [ci],
};
const widens = (change: Partial<Parameters<typeof widensAccess>[0]['after']>) =>
  widensAccess({ before, after: { ...before, ...change } });

test.each([
  ['an additional action', { allowed_actions: ['encrypt' as const, 'decrypt' as const] }],
  ['a different action instead of the old action', { allowed_actions: ['decrypt' as const] }],
  ['an additional key', { key_ids: [key, other] }],
  ['the removal of the key list', { key_ids: null }],
  ['a different firewall', { firewall_id: otherFirewall }],
  ['the removal of the firewall', { firewall_id: null }],
  ['a later expiry', { expires_at: after9 ?? null }],
  ['the removal of the expiry', { expires_at: null }],
  ['an additional federation', { federations: [ci, deploy] }],
  ['a changed federation', { federations: [deploy] }],
  ['the removal of an action together with a different key', { allowed_actions: [], key_ids: [other] }],
])('the access of an API key is widened by this change: %s', (_, change) => expect(widens(change)).toBe(true));

test.each([
  ['no change', {}],
  ['the removal of an action', { allowed_actions: [] }],
  ['the removal of a key from the key list', { key_ids: [] }],
  ['an earlier expiry', { expires_at: before9 ?? null }],
  ['the removal of a federation', { federations: [] }],
])('the access of an API key is not widened by this change: %s', (_, change) => expect(widens(change)).toBe(false));

test('the access of an API key is not widened if the API key gets a first firewall or a first key list', () => {
  const free = { ...before, key_ids: null, firewall_id: null };
  expect(widensAccess({ before: free, after: before })).toBe(false);
});

test('a change raises a role exactly if the new role is closer to owner', () => {
  const raised = ROLES.flatMap((before) =>
    ROLES.filter((after) => isRaised({ before, after })).map((after) => `${before} to ${after}`),
  );
  expect(raised).toEqual(['admin to owner', 'auditor to owner', 'auditor to admin']);
});
