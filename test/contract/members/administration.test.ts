import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventObject, read } from '../../support/objects.ts';
import { inviteTo, join } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

async function eventsOf(session: Client, query = '') {
  return read(z.array(eventObject), await session.send('GET', `/v1/audit?limit=1000${query}`));
}

test('the audit log does not record requests that change nothing', async () => {
  const tenant = await makeTenant(stack);
  const { console, apiKeyId } = tenant;
  const ann = await join(tenant, 'admin');
  const firewall = { name: 'one', allowed_ips: ['192.0.2.0/24'] };
  const { id } = Object((await console.send('POST', '/v1/firewalls', firewall)).body);
  const container = Object((await console.send('POST', '/v1/containers', { name: 'one' })).body);
  const before = await eventsOf(console);
  for (const [method, path, body] of [
    ['PATCH', `/v1/api-keys/${apiKeyId}`, { name: 'test' }],
    ['PATCH', `/v1/api-keys/${apiKeyId}`, {}],
    ['PATCH', `/v1/firewalls/${id}`, firewall],
    ['PATCH', `/v1/firewalls/${id}`, {}],
    ['PATCH', `/v1/containers/${container.id}`, { name: 'one' }],
    ['PATCH', `/v1/members/${ann.id}`, { role: 'admin' }],
    ['PATCH', '/v1/tenant', { name: null }],
    ['GET', '/v1/members', undefined],
    ['POST', '/v1/invitations/preview', { token: (await inviteTo(await makeTenant(stack), 'admin')).token }],
  ] as const) {
    expect([path, (await console.send(method, path, body)).status]).toEqual([path, 200]);
  }
  expect(await eventsOf(console)).toEqual(before);
});

test('GET /v1/audit can be filtered by target_id, and refuses a target_id that is not a UUID', async () => {
  const { console, apiKeyId } = await makeTenant(stack);
  await console.send('PATCH', `/v1/api-keys/${apiKeyId}`, { name: 'two' });
  const operations = (await eventsOf(console, `&target_id=${apiKeyId}`)).map(({ operation }) => operation);
  expect(operations).toEqual(['update_api_key', 'create_api_key']);
  expect(await console.send('GET', '/v1/audit?target_id=x')).toMatchObject({ body: { error: 'invalid_query' } });
});
