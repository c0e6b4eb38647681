import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Parses an IP address, or returns `undefined`. Refuses octal and short IPv4, which ipaddr.js accepts. */
export function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  return ipaddr.parse(isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
}

export function viewAddress(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** Converts an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) to IPv4, and leaves others unchanged. */
export function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Returns the network of one sender: an IPv4 address, or the /64 of an IPv6 address. Returns other text unchanged. */
export function senderNetwork(address: string): string {
  const [bare = ''] = address.split('%');
  const parsed = parseAddress(bare);
  if (parsed === undefined) return address;
  const plain = unmapped(parsed);
  return plain instanceof ipaddr.IPv6
    ? viewAddress(new ipaddr.IPv6([...plain.parts.slice(0, 4), 0, 0, 0, 0]))
    : viewAddress(plain);
}
