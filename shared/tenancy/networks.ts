import ipaddr from 'ipaddr.js';
import { type Address, parseAddress, unmapped, viewAddress } from '../base/address.ts';
import { ApiError } from '../errors.ts';

export const NETWORKS = 64;

/** The longest text of a network: an IPv6 address that ends in IPv4 notation, and a prefix length. */
export const NETWORK_LENGTH = 49;

/** Returns networks in canonical form without duplicates. Throws `invalid_allowed_ips` unless 1 to 64 are valid. */
export function parseNetworks(entries: readonly string[]): string[] {
  if (entries.length === 0 || entries.length > NETWORKS)
    throw invalid(`allowed_ips must have 1 to ${NETWORKS} networks`);
  return [...new Set(entries.map(parseNetwork))];
}

/** Returns `address/length`, IPv6 as in RFC 5952, IPv4-mapped addresses as IPv4. Throws when host bits are set. */
function parseNetwork(entry: string): string {
  const [text = '', length, ...rest] = entry.split('/');
  const address = parseAddress(text);
  if (address === undefined || rest.length > 0)
    throw invalid(`${quote(entry)} is not a network such as 203.0.113.0/24 or 2001:db8::/32`);
  const whole = address.kind() === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? whole : parseLength(length, whole, entry);
  const network = ipaddr.fromByteArray(address.toByteArray().map((byte, index) => byte & maskByte(bits - 8 * index)));
  if (viewAddress(network) !== viewAddress(address)) {
    throw invalid(`${quote(entry)} has host bits set: use ${viewNetwork(network, bits)}`);
  }
  return viewNetwork(network, bits);
}

function maskByte(bits: number): number {
  return 0xff & (0xff00 >> Math.min(Math.max(bits, 0), 8));
}

function parseLength(text: string, whole: number, entry: string): number {
  const length = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (length <= whole && String(length) === text) return length;
  throw invalid(`${quote(entry)} does not have a valid prefix length`);
}

function viewNetwork(network: Address, bits: number): string {
  const plain = unmapped(network);
  return `${viewAddress(plain)}/${plain.kind() === network.kind() ? bits : bits - 96}`;
}

function quote(entry: string): string {
  return JSON.stringify(entry.slice(0, 64));
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_allowed_ips', message);
}

/** Returns the address as a firewall compares it: without a zone, and IPv4-mapped IPv6 as IPv4. */
export function plainAddress(address: string): string {
  const plain = plainOf(address);
  return plain === undefined ? address : viewAddress(plain);
}

/** Whether an address is in one of the networks. Returns `false` for text that is not an address. */
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
