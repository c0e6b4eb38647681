import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FirewallId, type KeyId, makeId } from '../../../shared/base/ids.ts';
import { isInNetworks, parseNetworks } from '../../../shared/tenancy/networks.ts';
import { isRaised, ROLES } from '../../../shared/tenancy/role.ts';
import { opensFirewall, widensAccess } from '../../../shared/tenancy/weakening.ts';

const opens = (before: readonly string[], after: readonly string[]) =>
  opensFirewall({ before: parseNetworks(before), after: parseNetworks(after) });

describe('changes that admit more addresses through a firewall', () => {
  test.each([
    ['an additional network', ['192.0.2.0/24'], ['192.0.2.0/24', '198.51.100.0/24']],
    ['a wider network instead of the old network', ['192.0.2.0/24'], ['192.0.2.0/23']],
    ['a different network instead of the old network', ['192.0.2.0/24'], ['198.51.100.0/24']],
    [
      'widening a network to the next addresses',
      ['192.0.2.0/25', '192.0.2.128/26'],
      ['192.0.2.0/25', '192.0.2.128/25'],
    ],
    ['all IPv4 addresses instead of all IPv6 addresses', ['::/0'], ['0.0.0.0/0']],
    ['an IPv6 address instead of all IPv4 addresses', ['0.0.0.0/0'], ['::1']],
  ])('this change makes a firewall admit addresses that it refused before: %s', (_, before, after) =>
    expect(opens(before, after)).toBe(true),
  );
});

describe('changes that do not weaken a firewall', () => {
  test.each([
    ['listing the same networks in another order', ['192.0.2.0/24', '::/0'], ['::/0', '192.0.2.0/24']],
    ['a narrower network instead of the old network', ['192.0.2.0/24'], ['192.0.2.64/26']],
    ['the removal of a network', ['192.0.2.0/24', '198.51.100.0/24'], ['198.51.100.0/24']],
    ['joining the two halves of a network', ['192.0.2.128/25', '192.0.2.0/25'], ['192.0.2.0/24']],
    ['joining networks that overlap', ['10.0.0.0/9', '10.0.0.0/8', '11.0.0.0/8'], ['10.0.0.0/7']],
    [
      'only the last IPv4 and IPv6 addresses instead of all addresses',
      ['0.0.0.0/0', '::/0'],
      ['255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ],
    ['the same address written as IPv6', ['192.0.2.1'], ['::ffff:192.0.2.1']],
  ])('this change does not make a firewall admit addresses that it refused before: %s', (_, before, after) =>
    expect(opens(before, after)).toBe(false),
  );
});

/** The addresses in this test differ only in their last four bits, so that most lists of networks overlap. */
const BITS = 4;
const network = fc
  .tuple(fc.constantFrom('192.0.2.', '2001:db8::'), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: BITS }))
  .map(([base, host, bits]) => {
    const first = host - (host % 2 ** (BITS - bits));
    return base === '192.0.2.' ? `${base}${first}/${28 + bits}` : `${base}${first.toString(16)}/${124 + bits}`;
  });
const networks = fc.array(network, { minLength: 1, maxLength: 8 });
const ADDRESSES = Array.from({ length: 16 }, (_, host) => [`192.0.2.${host}`, `2001:db8::${host.toString(16)}`]).flat();

test('a firewall is weakened exactly if the change admits an address that was not admitted before', () => {
  fc.assert(
    fc.property(networks, networks, (before, after) => {
      const isNew = (address: string) => isInNetworks(after, address) && !isInNetworks(before, address);
      expect(opens(before, after)).toBe(ADDRESSES.some(isNew));
    }),
    { numRuns: 1_000 },
  );
});

function federation(sub: string) {
  return { issuer: 'https://issuer.example', claims: [{ name: 'sub', value: sub }] };
}

describe('the access of an API key', () => {
  const [key, other] = [makeId<KeyId>(), makeId<KeyId>()];
  const [firewall, otherFirewall] = [makeId<FirewallId>(), makeId<FirewallId>()];
  const [ci, deploy] = [federation('ci'), federation('deploy')];
  const [before9, at9, after9] = ['08', '09', '10'].map((hour) => `2027-01-01T${hour}:00:00.000000Z`);
  const before = {
    allowed_actions: ['encrypt' as const],
    key_ids: [key],
    firewall_id: firewall,
    expires_at: at9 ?? null,
    federations: [ci],
  };
  const widens = (change: Partial<Parameters<typeof widensAccess>[0]['after']>) =>
    widensAccess({ before, after: { ...before, ...change } });

  test.each([
    ['an additional action', { allowed_actions: ['encrypt' as const, 'decrypt' as const] }],
    ['a different action instead of the old action', { allowed_actions: ['decrypt' as const] }],
    ['an additional key', { key_ids: [key, other] }],
    ['the removal of the key list', { key_ids: null }],
    ['a different firewall', { firewall_id: otherFirewall }],
    ['the removal of the firewall', { firewall_id: null }],
    ['a later expiry', { expires_at: after9 ?? null }],
    ['the removal of the expiry', { expires_at: null }],
    ['an additional federation', { federations: [ci, deploy] }],
    ['a changed federation', { federations: [deploy] }],
    ['the removal of an action together with a different key', { allowed_actions: [], key_ids: [other] }],
  ])('the access of an API key is widened by this change: %s', (_, change) => expect(widens(change)).toBe(true));

  test.each([
    ['no change', {}],
    ['the removal of an action', { allowed_actions: [] }],
    ['the removal of a key from the key list', { key_ids: [] }],
    ['an earlier expiry', { expires_at: before9 ?? null }],
    ['the removal of a federation', { federations: [] }],
  ])('the access of an API key is not widened by this change: %s', (_, change) => expect(widens(change)).toBe(false));

  test('the access of an API key is not widened if the API key gets a first firewall or a first key list', () => {
    const free = { ...before, key_ids: null, firewall_id: null };
    expect(widensAccess({ before: free, after: before })).toBe(false);
  });
});

test('a change raises a role exactly if the new role is closer to owner', () => {
  const raised = ROLES.flatMap((before) =>
    ROLES.filter((after) => isRaised({ before, after })).map((after) => `${before} to ${after}`),
  );
  expect(raised).toEqual(['admin to owner', 'auditor to owner', 'auditor to admin']);
});
