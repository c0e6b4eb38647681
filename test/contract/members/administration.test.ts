import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventObject, read } from '../../support/objects.ts';
import { accept, inviteTo, join, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

async function eventsOf(session: Client, query = '') {
  return read(z.array(eventObject), await session.send('GET', `/v1/audit?limit=1000${query}`));
}

test('the acceptance of an invitation is recorded with the id of the invitation and the new member, without changes', async () => {
  const tenant = await makeTenant(stack);
  const { id, token } = await inviteTo(tenant, 'admin');
  const ann = await accept(await signInSomebody(stack), token);
  const accepted = { operation: 'accept_invitation', target_id: id, user_id: ann.id, changes: null };
  expect((await eventsOf(tenant.console))[0]).toMatchObject(accepted);
});

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

describe('audit events of requests that the caller’s role does not allow', () => {
  test('a refused operation on a key is recorded with the key and the member', async () => {
    const tenant = await makeTenant(stack);
    const { session, id } = await join(tenant, 'auditor');
    const key = await tenant.createKey('wrapped');
    await session.send('POST', `/v1/keys/${key}/rotate`);
    expect((await eventsOf(tenant.console))[0]).toMatchObject({
      operation: 'rotate_key',
      key_id: key,
      user_id: id,
      error_code: 'role_not_allowed',
      target_id: null,
    });
  });

  test('a refused request is recorded only if the object in its path belongs to the tenant', async () => {
    const [tenant, other] = [await makeTenant(stack), await makeTenant(stack)];
    const { session } = await join(tenant, 'auditor');
    const before = await eventsOf(tenant.console);
    for (const path of [
      ...[`/v1/api-keys/${other.apiKeyId}`, `/v1/containers/${randomUUID()}`, `/v1/members/${randomUUID()}`],
      ...[`/v1/invitations/${randomUUID()}`, `/v1/keys/${await other.createKey('wrapped')}`],
    ]) {
      expect(await session.send('DELETE', path)).toMatchObject({ status: 403, body: { error: 'role_not_allowed' } });
    }
    expect(await eventsOf(tenant.console)).toEqual(before);
  });
});

test('GET /v1/audit can be filtered by target_id, and refuses a target_id that is not a UUID', async () => {
  const { console, apiKeyId } = await makeTenant(stack);
  await console.send('PATCH', `/v1/api-keys/${apiKeyId}`, { name: 'two' });
  const operations = (await eventsOf(console, `&target_id=${apiKeyId}`)).map(({ operation }) => operation);
  expect(operations).toEqual(['update_api_key', 'create_api_key']);
  expect(await console.send('GET', '/v1/audit?target_id=x')).toMatchObject({ body: { error: 'invalid_query' } });
});
