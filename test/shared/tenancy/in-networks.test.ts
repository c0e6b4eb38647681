import { describe, expect, test } from 'vitest';
import { isInNetworks, plainAddress } from '../../../shared/tenancy/networks.ts';

const OFFICE = ['192.0.2.0/24', '198.51.100.7/32', '2001:db8:1::/48'];

describe('an address lies in the networks', () => {
  test.each([
    ['the first of an IPv4 network', '192.0.2.0'],
    ['the last of an IPv4 network', '192.0.2.255'],
    ['a single IPv4 address', '198.51.100.7'],
    ['the first of an IPv6 network', '2001:db8:1::'],
    ['the last of an IPv6 network', '2001:db8:1:ffff:ffff:ffff:ffff:ffff'],
    ['an IPv6 address in upper case and in full', '2001:0DB8:0001:0000:0000:0000:0000:0001'],
    ['an IPv4-mapped address in dotted spelling', '::ffff:192.0.2.1'],
    ['an IPv4-mapped address in upper case', '::FFFF:192.0.2.1'],
    ['an IPv4-mapped address in hexadecimal spelling', '::ffff:c000:201'],
    ['an IPv4-mapped address in full', '0:0:0:0:0:ffff:c000:201'],
    ['an IPv6 address with a zone', '2001:db8:1::1%eth0'],
  ])('%s', (_, address) => {
    expect(isInNetworks(OFFICE, address)).toBe(true);
  });

  test('a link-local address, with its zone or without', () => {
    expect(isInNetworks(['fe80::/10'], 'fe80::1%eth0')).toBe(true);
    expect(isInNetworks(['fe80::/10'], 'fe80::1')).toBe(true);
  });

  test('any of its family, in the network of all', () => {
    expect(isInNetworks(['0.0.0.0/0'], '203.0.113.9')).toBe(true);
    expect(isInNetworks(['0.0.0.0/0'], '::ffff:203.0.113.9')).toBe(true);
    expect(isInNetworks(['::/0'], '2001:db8::1')).toBe(true);
  });
});

describe('an address lies outside the networks', () => {
  test.each([
    ['just below an IPv4 network', '192.0.1.255'],
    ['just above an IPv4 network', '192.0.3.0'],
    ['next to a single address', '198.51.100.6'],
    ['just above an IPv6 network', '2001:db8:2::'],
    ['IPv4-mapped, just above', '::ffff:192.0.3.0'],
    ['IPv4-mapped in hexadecimal, just above', '::ffff:c000:300'],
    ['IPv4-compatible, which is not IPv4-mapped', '::192.0.2.1'],
    ['IPv4 translated (NAT64), which is not IPv4-mapped', '64:ff9b::192.0.2.1'],
  ])('%s', (_, address) => {
    expect(isInNetworks(OFFICE, address)).toBe(false);
  });

  test.each(['::/0', '::/1', '::/80'])('an IPv4 address, in the IPv6 network %s', (network) => {
    expect(isInNetworks([network], '192.0.2.1')).toBe(false);
    expect(isInNetworks([network], '::ffff:192.0.2.1')).toBe(false);
    expect(isInNetworks([network], '::ffff:c000:201')).toBe(false);
  });

  test('an IPv6 address, in the network of all IPv4', () => {
    for (const address of ['2001:db8::1', '::1', '::']) expect(isInNetworks(['0.0.0.0/0'], address)).toBe(false);
  });

  test.each([
    ['nothing', ''],
    ['a name', 'localhost'],
    ['an address with a port', '192.0.2.1:443'],
    ['an address in brackets', '[2001:db8:1::1]'],
    ['a network', '192.0.2.1/32'],
    ['too few octets', '192.0.2'],
    ['an octet too large', '192.0.2.256'],
    ['an octal spelling', '192.0.02.1'],
    ['a decimal spelling', '3221225985'],
    ['a space before it', ' 192.0.2.1'],
    ['two addresses', '192.0.2.1, 192.0.2.2'],
    ['the unknown of a proxy', 'unknown'],
  ])('what is not an address: %s', (_, text) => {
    expect(isInNetworks([...OFFICE, '0.0.0.0/0', '::/0'], text)).toBe(false);
  });

  test('all, where what is to hold them is no network', () => {
    for (const network of ['', '/0', 'localhost/0']) expect(isInNetworks([network], '192.0.2.1'), network).toBe(false);
  });

  test('all, where there are no networks', () => {
    expect(isInNetworks([], '192.0.2.1')).toBe(false);
  });
});

describe('an address as people write it', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', ''],
  ])('%s is written %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain);
  });
});
