import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The address that `text` spells in the standard notations alone, or `undefined`. The library takes more than those
 * (octal, hexadecimal, shortened IPv4) and reads the deprecated `::192.0.2.1` as IPv4-mapped; so Node decides what is an
 * address, and the URL standard's serializer spells IPv6 without dots.
 */
export function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  return ipaddr.parse(isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
}

/** The address in its one form: IPv6 as RFC 5952 has it. */
export function viewAddress(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** The IPv4 address that an IPv4-mapped one carries (RFC 4291 §2.5.5.2); any other as it is. */
export function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** What is taken to be one sender's: an IPv4 address, or the /64 network of an IPv6 one. What is no address stays as it is. */
export function senderNetwork(address: string): string {
  const [bare = ''] = address.split('%');
  const parsed = parseAddress(bare);
  if (parsed === undefined) return address;
  const plain = unmapped(parsed);
  return plain instanceof ipaddr.IPv6
    ? viewAddress(new ipaddr.IPv6([...plain.parts.slice(0, 4), 0, 0, 0, 0]))
    : viewAddress(plain);
}
