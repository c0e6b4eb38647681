import ipaddr from 'ipaddr.js';
import { type Address, parseAddress, unmapped, viewAddress } from '../base/address.ts';
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
  const [text = '', length, ...rest] = entry.split('/');
  const address = parseAddress(text);
  if (address === undefined || rest.length > 0) throw invalid(`not a network: ${quote(entry)}`);
  const whole = address.kind() === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? whole : parseLength(length, whole, entry);
  const network = ipaddr.fromByteArray(address.toByteArray().map((byte, index) => byte & maskByte(bits - 8 * index)));
  if (viewAddress(network) !== viewAddress(address)) {
    throw invalid(`${quote(entry)} has host bits set; the network is ${viewNetwork(network, bits)}`);
  }
  return viewNetwork(network, bits);
}

/** The byte of a network mask of which the first `bits` bits are set: none below 1, all from 8 on. */
function maskByte(bits: number): number {
  return 0xff & (0xff00 >> Math.min(Math.max(bits, 0), 8));
}

function parseLength(text: string, whole: number, entry: string): number {
  const length = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (length <= whole && String(length) === text) return length;
  throw invalid(`not a prefix length: ${quote(entry)}`);
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
