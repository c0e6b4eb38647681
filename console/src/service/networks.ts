/** Returns whether a network in the service's form, such as `192.0.2.0/24` or `2001:db8::/32`, contains an address. */
export function contains(network: string, address: string): boolean {
  const [start = '', length = ''] = network.split('/');
  const [inside, tested] = [bitsOf(start), bitsOf(address)];
  if (inside === undefined || tested === undefined || inside.length !== tested.length) return false;
  const fixed = Number(length);
  return inside.slice(0, fixed) === tested.slice(0, fixed);
}

/** Returns an address as 32 or 128 binary digits, or `undefined` if it is not an address. */
function bitsOf(address: string): string | undefined {
  if (!address.includes(':')) {
    const bytes = address.split('.').map(Number);
    return bytes.length === 4 ? binary(bytes, 8) : undefined;
  }
  const [before = [], after] = address.split('::').map(groupsOf);
  if (after === undefined) return before.length === 8 ? binary(before, 16) : undefined;
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return binary([...before, ...zeros, ...after], 16);
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

const binary = (numbers: readonly number[], digits: number): string =>
  numbers.map((one) => one.toString(2).padStart(digits, '0')).join('');
