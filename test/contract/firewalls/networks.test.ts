import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { firewallObject, read } from '../../support/objects.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
let session: Client;
beforeAll(async () => {
  session = (await makeTenant(stack)).console;
});

const create = (allowed_ips: readonly unknown[]) =>
  session.send('POST', '/v1/firewalls', { name: randomUUID(), allowed_ips });

test.each([
  ['192.0.2.1', '192.0.2.1/32'],
  ['192.0.2.1/32', '192.0.2.1/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['192.0.2.128/25', '192.0.2.128/25'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['0.0.0.0', '0.0.0.0/32'],
  ['255.255.255.255', '255.255.255.255/32'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['2001:DB8:0:0::/64', '2001:db8::/64'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1/128'],
  // RFC 5952 §4.2: `::` replaces the longest run of zero fields, and the first of two equally long runs. It never
  // replaces a single zero field.
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1/128'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
  ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
  ['2001:db8::192.0.2.1', '2001:db8::c000:201/128'],
  ['::', '::/128'],
  ['::/0', '::/0'],
  ['::1', '::1/128'],
  ['fe80::/10', 'fe80::/10'],
])('the network %s is stored as %s', async (entry, stored) => {
  const answer = await create([entry]);
  expect(answer.status).toBe(201);
  const { id, allowed_ips } = read(firewallObject, answer);
  expect(allowed_ips).toEqual([stored]);
  expect(read(firewallObject, await session.send('GET', `/v1/firewalls/${id}`)).allowed_ips).toEqual([stored]);
});

test.each([
  ['192.0.2.1/24', '192.0.2.0/24'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['127.0.0.1/0', '0.0.0.0/0'],
  ['192.0.2.129/25', '192.0.2.128/25'],
  ['2001:DB8::1/64', '2001:db8::/64'],
  ['2001:db8:0:1::/48', '2001:db8::/48'],
  ['::1/0', '::/0'],
])('the network %s is refused because of its host bits, with a message that names %s', async (entry, network) => {
  const answer = await create(['198.51.100.0/24', entry]);
  expect(outcome(answer)).toBe('400 invalid_allowed_ips');
  expect(text(answer, 'message')).toContain(network);
});

test.each([
  '',
  ' ',
  'localhost',
  'example.com',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.1.1',
  '192.0.2.01',
  '0300.0.2.1',
  '0x7f.0.0.1',
  '2130706433',
  '192.0.2.0/33',
  '192.0.2.0/-1',
  '192.0.2.0/',
  '192.0.2.0/024',
  '192.0.2.0/24/24',
  '192.0.2.0/24.0',
  '192.0.2.0/1e1',
  '192.0.2.0/255.255.255.0',
  '192.0.2.0-192.0.2.9',
  '192.0.2.*',
  ' 192.0.2.0/24',
  '192.0.2.0/24\n',
  '192.0.2.0 /24',
  '/24',
  '\u0661\u0669\u0662.0.2.1',
  '2001:db8',
  ':::',
  '1::2::3',
  '12345::',
  '2001:db8::g',
  '1:2:3:4:5:6:7:8:9',
  '2001:db8::/129',
  '2001:db8:: /32',
  'fe80::1%eth0',
  '[::1]',
  '[::1]:443',
  '::ffff:192.0.2.256',
])('%j is not a network and is refused with 400 invalid_allowed_ips', async (entry) => {
  expect(outcome(await create([entry]))).toBe('400 invalid_allowed_ips');
  expect(outcome(await create(['192.0.2.0/24', entry]))).toBe('400 invalid_allowed_ips');
});

describe('the networks of a firewall', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`);

  test('a firewall has 1 to 64 networks', async () => {
    expect(outcome(await create([]))).toBe('400 invalid_allowed_ips');
    expect(read(firewallObject, await create(addresses(64))).allowed_ips).toHaveLength(64);
    expect(outcome(await create(addresses(65)))).toBe('400 invalid_allowed_ips');
  });

  test('a firewall keeps the order of its networks and drops duplicates, even in a different notation', async () => {
    const written = ['2001:db8::1', '192.0.2.1', '192.0.2.1/32', '2001:DB8:0::1/128', '192.0.2.0/24', '192.0.2.1'];
    const { allowed_ips } = read(firewallObject, await create(written));
    expect(allowed_ips).toEqual(['2001:db8::1/128', '192.0.2.1/32', '192.0.2.0/24']);
  });

  test('networks that are not a list of strings are refused with 400 invalid_request', async () => {
    for (const entry of [1, null, ['192.0.2.1'], { ip: '192.0.2.1' }]) {
      expect(outcome(await create([entry]))).toBe('400 invalid_request');
    }
    for (const allowed_ips of ['192.0.2.1', null, undefined, { 0: '192.0.2.1' }]) {
      const answer = await session.send('POST', '/v1/firewalls', { name: randomUUID(), allowed_ips });
      expect(outcome(answer)).toBe('400 invalid_request');
    }
  });
});
