import { type Address, parseAddress, unmapped, viewAddress } from '../base/address.ts';

/** An address as people write it: an IPv4-mapped one as IPv4, without a zone. What is not an address stays as it is. */
export function plainAddress(address: string): string {
  const plain = plainOf(address);
  return plain === undefined ? address : viewAddress(plain);
}

/** Whether `address` lies in one of `networks` (address, slash, prefix length). What is not an address lies in none. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const plain = plainOf(address);
  return plain !== undefined && networks.some((network) => isIn(network, plain));
}

function isIn(network: string, address: Address): boolean {
  const [base = '', bits] = network.split('/');
  const parsed = parseAddress(base);
  return parsed !== undefined && parsed.kind() === address.kind() && address.match(parsed, Number(bits));
}

function plainOf(address: string): Address | undefined {
  const [bare = ''] = address.split('%');
  const parsed = parseAddress(bare);
  return parsed && unmapped(parsed);
}
