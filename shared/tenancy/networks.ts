import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ApiError } from '../errors.ts';

const MOST = 64;

/** The networks of a firewall in canonical form, each once. Throws `invalid_allowed_ips` unless there are 1 to 64 and each is accepted. */
export function parseNetworks(entries: readonly string[]): string[] {
  if (entries.length === 0 || entries.length > MOST) throw invalid(`allowed_ips takes 1 to ${MOST} networks`);
  return [...new Set(entries.map(parseNetwork))];
}

/**
 * An IPv4 or IPv6 address, alone or with a prefix length, as `address/length`: IPv6 in the form of RFC 5952, and an
 * IPv4-mapped network as the IPv4 network that it is. Refuses an entry with host bits set, naming the network meant.
 */
function parseNetwork(entry: string): string {
  const [address = '', length, ...rest] = entry.split('/');
  // Node's own check is strict where the library takes octal, hexadecimal and shortened IPv4.
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) throw invalid(`not a network: ${quote(entry)}`);
  const whole = isIPv4(address) ? 32 : 128;
  const bits = length === undefined ? whole : parseLength(length, whole, entry);
  const parsed = ipaddr.parse(address);
  const network =
    parsed instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`);
  if (network.toNormalizedString() !== parsed.toNormalizedString()) {
    throw invalid(`${quote(entry)} has host bits set; the network is ${viewNetwork(network, bits)}`);
  }
  return viewNetwork(network, bits);
}

function parseLength(text: string, whole: number, entry: string): number {
  const length = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (length <= whole && String(length) === text) return length;
  throw invalid(`not a prefix length: ${quote(entry)}`);
}

function viewNetwork(network: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  if (network instanceof ipaddr.IPv4) return `${network.toString()}/${bits}`;
  const isMapped = network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? `${network.toIPv4Address().toString()}/${bits - 96}` : `${network.toRFC5952String()}/${bits}`;
}

function quote(entry: string): string {
  return JSON.stringify(entry.slice(0, 64));
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_allowed_ips', message);
}
