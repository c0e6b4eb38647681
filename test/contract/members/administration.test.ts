import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { eventObject, read } from '../../support/objects.ts';
import { accept, inviteTo, join, meOf, signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

async function eventsOf(session: Client, query = '') {
  return read(z.array(eventObject), await session.send('GET', `/v1/audit?limit=1000${query}`));
}

/** Returns the operation, target id and error code of the tenant's latest event. */
async function latest(session: Client) {
  const [event] = await eventsOf(session);
  return event && [event.operation, event.target_id, event.error_code];
}

describe('audit events of changes to a tenant', () => {
  test('a change to an API key is recorded with the id of the API key and the user who made the change', async () => {
    const { console } = await makeTenant(stack);
    const { user } = await meOf(console);
    const { id } = Object((await console.send('POST', '/v1/api-keys', { name: 'one' })).body);
    expect((await eventsOf(console))[0]).toMatchObject({
      operation: 'create_api_key',
      result: 'success',
      error_code: null,
      key_id: null,
      api_key_id: null,
      user_id: user.id,
      target_id: id,
    });
    await console.send('PATCH', `/v1/api-keys/${id}`, { name: 'two' });
    expect(await latest(console)).toEqual(['update_api_key', id, null]);
    await console.send('DELETE', `/v1/api-keys/${id}`);
    expect(await latest(console)).toEqual(['revoke_api_key', id, null]);
  });

  test.each([
    ['container', '/v1/containers', {}, 'rename_container'],
    ['firewall', '/v1/firewalls', { allowed_ips: ['192.0.2.0/24'] }, 'update_firewall'],
  ])('a change to a %s is recorded with the id of the changed object', async (thing, path, fields, changed) => {
    const { console } = await makeTenant(stack);
    const { id } = Object((await console.send('POST', path, { name: 'one', ...fields })).body);
    expect(await latest(console)).toEqual([`create_${thing}`, id, null]);
    await console.send('PATCH', `${path}/${id}`, { name: 'two' });
    expect(await latest(console)).toEqual([changed, id, null]);
    await console.send('DELETE', `${path}/${id}`);
    expect(await latest(console)).toEqual([`delete_${thing}`, id, null]);
  });

  test('changes to members, invitations and the tenant’s name are recorded with the id of the changed object', async () => {
    const tenant = await makeTenant(stack);
    const { console } = tenant;
    const { id, token } = await inviteTo(tenant, 'admin');
    expect(await latest(console)).toEqual(['invite_member', id, null]);
    const ann = await accept(await signInSomebody(stack), token);
    expect((await eventsOf(console))[0]).toMatchObject({
      operation: 'accept_invitation',
      target_id: id,
      user_id: ann.id,
    });
    await console.send('PATCH', `/v1/members/${ann.id}`, { role: 'owner' });
    expect(await latest(console)).toEqual(['change_role', ann.id, null]);
    await inviteTo({ console: ann.session }, 'auditor');
    await console.send('DELETE', `/v1/members/${ann.id}`);
    expect(await latest(console)).toEqual(['remove_member', ann.id, null]);
    const revoked = await inviteTo(tenant, 'auditor');
    await console.send('DELETE', `/v1/invitations/${revoked.id}`);
    expect(await latest(console)).toEqual(['revoke_invitation', revoked.id, null]);
    await console.send('PATCH', '/v1/tenant', { name: 'Acme' });
    expect(await latest(console)).toEqual(['rename_tenant', tenant.id, null]);
    // The removal of the member also revoked their invitation, which is not recorded as an event.
    expect(await eventsOf(console, '&operation=revoke_invitation')).toHaveLength(1);
  });
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
  test('the target_id of a refused request is the id in its path, null for a creation, or the tenant’s id for a change of the tenant’s name', async () => {
    const tenant = await makeTenant(stack);
    const { session, id } = await join(tenant, 'auditor');
    const key = await tenant.createKey('wrapped');
    for (const [method, path, operation, target] of [
      ['DELETE', `/v1/api-keys/${tenant.apiKeyId}`, 'revoke_api_key', tenant.apiKeyId],
      ['POST', '/v1/containers', 'create_container', null],
      ['POST', '/v1/invitations', 'invite_member', null],
      ['PATCH', '/v1/tenant', 'rename_tenant', tenant.id],
    ] as const) {
      expect(await session.send(method, path, {})).toMatchObject({ status: 403, body: { error: 'role_not_allowed' } });
      expect(await latest(tenant.console)).toEqual([operation, target, 'role_not_allowed']);
    }
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
