import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

/** Creates an API key whose firewall has the given networks. Returns the API key and the path of the firewall. */
async function mintWithNetworks(...allowed_ips: readonly string[]) {
  const answer = await tenant.console.send('POST', '/v1/firewalls', { name: randomUUID(), allowed_ips });
  const firewall_id = text(answer, 'id');
  return { ...(await tenant.mint({ firewall_id })), firewall: `/v1/firewalls/${firewall_id}` };
}

/** Sends `GET /v1/keys` from a local address. Returns the outcome. */
async function outcomeFrom(localAddress: string, { token }: Client): Promise<string> {
  const sent = request(`${stack.baseUrl}/v1/keys`, { localAddress, headers: { authorization: `Bearer ${token}` } });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>();
  sent.on('error', reject).on('response', async (response) => {
    resolve({ status: response.statusCode ?? 0, body: JSON.parse(await readText(response)) });
  });
  sent.end();
  return outcome({ headers: new Headers(), ...(await promise) });
}

describe('an API key with a firewall, used from 127.0.0.1', () => {
  test.each([
    ['127.0.0.0/8', '200'],
    ['::ffff:127.0.0.1', '200'],
    ['127.0.0.2', '403 ip_not_allowed'],
    ['::/0', '403 ip_not_allowed'],
  ])('with the network %s in the firewall, a request from 127.0.0.1 gets %s', async (network, expected) => {
    const { client } = await mintWithNetworks(network);
    expect(outcome(await client.send('GET', '/v1/keys'))).toBe(expected);
  });

  test('an address is allowed if one of the firewall’s networks contains the address', async () => {
    const { client } = await mintWithNetworks('192.0.2.0/24', '2001:db8::/32', '127.0.0.1', '198.51.100.1');
    expect(outcome(await client.send('GET', '/v1/keys'))).toBe('200');
  });
});

test('a network includes its first and last address, and no address beyond them', async () => {
  const { client } = await mintWithNetworks('127.0.0.64/26');
  expect(await outcomeFrom('127.0.0.63', client)).toBe('403 ip_not_allowed');
  expect(await outcomeFrom('127.0.0.64', client)).toBe('200');
  expect(await outcomeFrom('127.0.0.127', client)).toBe('200');
  expect(await outcomeFrom('127.0.0.128', client)).toBe('403 ip_not_allowed');
});

test('without configured proxies, headers do not change the address of the caller', async () => {
  const [inside, outside] = [await mintWithNetworks('127.0.0.1'), await mintWithNetworks('192.0.2.0/24')];
  for (const name of ['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']) {
    const headers = { [name]: '192.0.2.1' };
    expect(outcome(await outside.client.send('GET', '/v1/keys', undefined, { headers }))).toBe('403 ip_not_allowed');
    expect(outcome(await inside.client.send('GET', '/v1/keys', undefined, { headers }))).toBe('200');
  }
  const headers = { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1, 192.0.2.2' };
  expect(outcome(await outside.client.send('GET', '/v1/keys', undefined, { headers }))).toBe('403 ip_not_allowed');
});
