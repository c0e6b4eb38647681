import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInNetworks, parseNetworks } from '../../../shared/tenancy/networks.ts';

function refusal(message: string | RegExp = '') {
  return expect.objectContaining({ code: 'invalid_allowed_ips', message: expect.stringMatching(message) });
}

describe('a network entry', () => {
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
    '',
    ' ',
    'localhost',
    'example.com',
    '192.0.2',
    '192.0.2.1.1',
    '192.0.2.256',
    '192.0.02.1',
    '0xc0.0.2.1',
    '3221225985',
    '192.0.2.1:443',
    '[2001:db8::1]',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '0.0.0.0/-1',
    '192.0.2.0/',
    '192.0.2.0/024',
    '192.0.2.0/+24',
    '192.0.2.0/ 24',
    '192.0.2.0/24.0',
    '192.0.2.0/24.5',
    '192.0.2.0/255.255.255.0',
    '192.0.2.0/24/24',
    '/24',
    ' 192.0.2.0/24',
    '192.0.2.0/24 ',
    '192.0.2.0/24\n',
    '192.0.2.0-192.0.2.255',
    '192.0.2.*',
    '192.0.2.0/24,198.51.100.0/24',
    '2001:db8::/129',
    '2001:db8::1::1',
    '2001:db8::g',
    'fe80::1%eth0',
    'fe80::%eth0/10',
    ':::',
    '192.0.2.01',
    '0300.0.2.1',
    '0x7f.0.0.1',
    '192.0.2.0/1e1',
    '192.0.2.0 /24',
    '\u0661\u0669\u0662.0.2.1',
    '2001:db8',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7:8:9',
    '2001:db8:: /32',
    '[::1]',
    '[::1]:443',
    '::ffff:192.0.2.256',
  ])('the invalid network "%s" is refused with an error that quotes it', (entry) => {
    const named = { message: expect.stringContaining(JSON.stringify(entry)) };
    expect(() => parseNetworks([entry])).toThrow(refusal());
    expect(() => parseNetworks([entry])).toThrow(expect.objectContaining(named));
  });

  test('a very long invalid network is refused with a short error', () => {
    expect(() => parseNetworks(['1'.repeat(100_000)])).toThrow(refusal(/^.{1,200}$/));
  });
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
