import { describe, expect, test } from 'vitest';
import { isInNetworks, plainAddress } from '../../../shared/tenancy/networks.ts';

const OFFICE = ['192.0.2.0/24', '198.51.100.7/32', '2001:db8:1::/48'];

describe('addresses inside the networks', () => {
  test.each([
    ['the first address of an IPv4 network', '192.0.2.0'],
    ['the last address of an IPv4 network', '192.0.2.255'],
    ['a single IPv4 address', '198.51.100.7'],
    ['the first address of an IPv6 network', '2001:db8:1::'],
    ['the last address of an IPv6 network', '2001:db8:1:ffff:ffff:ffff:ffff:ffff'],
    ['an IPv6 address in upper case and in full', '2001:0DB8:0001:0000:0000:0000:0000:0001'],
    ['an IPv4-mapped address in dotted spelling', '::ffff:192.0.2.1'],
    ['an IPv4-mapped address in upper case', '::FFFF:192.0.2.1'],
    ['an IPv4-mapped address in hexadecimal spelling', '::ffff:c000:201'],
    ['an IPv4-mapped address in full', '0:0:0:0:0:ffff:c000:201'],
    ['an IPv6 address with a zone', '2001:db8:1::1%eth0'],
  ])('%s is inside the networks', (_, address) => {
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
});

describe('addresses outside the networks', () => {
  test.each([
    ['an address just below an IPv4 network', '192.0.1.255'],
    ['an address just above an IPv4 network', '192.0.3.0'],
    ['the address before a single allowed address', '198.51.100.6'],
    ['an address just above an IPv6 network', '2001:db8:2::'],
    ['an IPv4-mapped address just above a network', '::ffff:192.0.3.0'],
    ['an IPv4-mapped address in hexadecimal just above a network', '::ffff:c000:300'],
    ['an IPv4-compatible address (not IPv4-mapped)', '::192.0.2.1'],
    ['a NAT64 address (not IPv4-mapped)', '64:ff9b::192.0.2.1'],
  ])('%s is outside the networks', (_, address) => {
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
    ['an empty text', ''],
    ['a name', 'localhost'],
    ['an address with a port', '192.0.2.1:443'],
    ['an address in brackets', '[2001:db8:1::1]'],
    ['a network instead of an address', '192.0.2.1/32'],
    ['too few octets', '192.0.2'],
    ['an octet too large', '192.0.2.256'],
    ['an octal spelling', '192.0.02.1'],
    ['a decimal spelling', '3221225985'],
    ['a space before the address', ' 192.0.2.1'],
    ['two addresses', '192.0.2.1, 192.0.2.2'],
    ['the word unknown, which proxies send', 'unknown'],
  ])('text that is not an address is outside all networks: %s', (_, text) => {
    expect(isInNetworks([...OFFICE, '0.0.0.0/0', '::/0'], text)).toBe(false);
  });

  test('no address is inside an invalid network', () => {
    for (const network of ['', '/0', 'localhost/0']) expect(isInNetworks([network], '192.0.2.1'), network).toBe(false);
  });

  test('no address is inside an empty list of networks', () => {
    expect(isInNetworks([], '192.0.2.1')).toBe(false);
  });
});

describe('the plain form of an address', () => {
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
});
