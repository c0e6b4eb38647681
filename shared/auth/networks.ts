import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

const MAPPED = '::ffff:';

/** An address as people write it: an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as the IPv4 address in it, without a zone. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%');
  const mapped = bare.toLowerCase().startsWith(MAPPED) ? bare.slice(MAPPED.length) : '';
  return isIPv4(mapped) ? mapped : bare;
}

/** Whether `address` lies in one of `networks` (address, slash, prefix length). What is not an address lies in none. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  if (isIP(address) === 0) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    list.addSubnet(base, Number(prefix), isIPv6(base) ? 'ipv6' : 'ipv4');
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
