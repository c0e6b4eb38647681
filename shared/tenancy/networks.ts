import ipaddr from 'ipaddr.js';
import { type Address, parseAddress, unmapped, viewAddress } from '../base/address.ts';
import { ApiError } from '../errors.ts';

/** The most networks of a firewall. */
export const NETWORKS = 64;

/** The most characters of a network: IPv6 whose end is written as IPv4, and its length. */
export const NETWORK_LENGTH = 49;

/** Normalizes a firewall's 1 to 64 networks and removes duplicates. Throws `invalid_allowed_ips`. */
export function parseNetworks(entries: readonly string[]): string[] {
  if (entries.length === 0 || entries.length > NETWORKS)
    throw invalid(`allowed_ips must have 1 to ${NETWORKS} networks`);
  return [...new Set(entries.map(parseNetwork))];
}

/** Normalizes to `address/length`: IPv6 as in RFC 5952, IPv4-mapped as IPv4. Throws when host bits are set. */
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

/** The byte of a network mask whose first `bits` bits are set. */
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

/** Formats an address for display: IPv4-mapped as IPv4, without a zone. Returns other text unchanged. */
export function plainAddress(address: string): string {
  const plain = plainOf(address);
  return plain === undefined ? address : viewAddress(plain);
}

/** Whether `address` is in one of the CIDR `networks`; `false` for text that is no address. */
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
