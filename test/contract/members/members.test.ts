import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { memberObject, read } from '../../support/objects.ts';
import { inviteTo, join, meOf } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

async function membersOf(session: Client) {
  return read(z.array(memberObject), await session.send('GET', '/v1/members'));
}

test('the first member of a tenant is its owner, and members are listed with their roles, oldest first', async () => {
  const tenant = await makeTenant(stack);
  const owner = await meOf(tenant.console);
  expect(owner.role).toBe('owner');
  const ann = await join(tenant, 'admin', { email: 'ann@example.com', name: 'Ann' });
  const bob = await join(tenant, 'auditor');
  expect(await membersOf(bob.session)).toMatchObject([
    { user_id: owner.user.id, role: 'owner' },
    { user_id: ann.id, role: 'admin', email: 'ann@example.com', name: 'Ann' },
    { user_id: bob.id, role: 'auditor' },
  ]);
});

test('a member’s name comes from their sign-in token', async () => {
  const tenant = await makeTenant(stack);
  const ann = await join(tenant, 'admin', { name: 'Ann' });
  expect((await membersOf(tenant.console))[1]).toMatchObject({ user_id: ann.id, name: 'Ann' });
});

describe('PATCH /v1/members/{user_id}', () => {
  test('a new role applies from the member’s next request', async () => {
    const tenant = await makeTenant(stack);
    const ann = await join(tenant, 'auditor');
    expect(await ann.session.send('POST', '/v1/containers', { name: 'one' })).toMatchObject({ status: 403 });
    const changed = await tenant.console.send('PATCH', `/v1/members/${ann.id}`, { role: 'admin' });
    expect(changed).toMatchObject({ status: 200, body: { user_id: ann.id, role: 'admin' } });
    expect(await ann.session.send('POST', '/v1/containers', { name: 'one' })).toMatchObject({ status: 201 });
    expect((await meOf(ann.session)).role).toBe('admin');
  });

  test.each([
    ['a change without a role', {}, 400, 'invalid_request'],
    ['a change to an unknown role', { role: 'root' }, 400, 'invalid_role'],
    ['a change that would leave no owner', { role: 'admin' }, 409, 'last_owner'],
  ])('%s is refused', async (_, body, status, error) => {
    const tenant = await makeTenant(stack);
    const { user } = await meOf(tenant.console);
    expect(await tenant.console.send('PATCH', `/v1/members/${user.id}`, body)).toMatchObject({
      status,
      body: { error },
    });
  });

  test.each([{}, { role: 'root' }])(
    'changing the role of a user who is not a member gets 404, or 400 if the body lacks a role (body: %j)',
    async (body) => {
      const [tenant, other] = [await makeTenant(stack), await makeTenant(stack)];
      const { user } = await meOf(other.console);
      for (const id of [randomUUID(), user.id]) {
        const answer = await tenant.console.send('PATCH', `/v1/members/${id}`, body);
        expect(answer.status).toBe('role' in body ? 404 : 400);
      }
    },
  );

  test('if two owners demote each other at once, one owner remains', async () => {
    const tenant = await makeTenant(stack);
    const { user } = await meOf(tenant.console);
    const ann = await join(tenant, 'owner');
    const answers = await Promise.all([
      tenant.console.send('PATCH', `/v1/members/${ann.id}`, { role: 'auditor' }),
      ann.session.send('PATCH', `/v1/members/${user.id}`, { role: 'auditor' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)[0]).toBe(200);
    const owners = (await membersOf(tenant.console)).filter(({ role }) => role === 'owner');
    expect(owners).toHaveLength(1);
  });
});

describe('DELETE /v1/members/{user_id}', () => {
  test('a removed member gets 403 no_tenant from the next request on, until GET /v1/me creates a new tenant for them', async () => {
    const tenant = await makeTenant(stack);
    const ann = await join(tenant, 'admin');
    expect(await tenant.console.send('DELETE', `/v1/members/${ann.id}`)).toMatchObject({ status: 204 });
    expect(await ann.session.send('GET', '/v1/keys')).toMatchObject({ status: 403, body: { error: 'no_tenant' } });
    const { user, tenant: own, role } = await meOf(ann.session);
    expect({ id: user.id, role }).toEqual({ id: ann.id, role: 'owner' });
    expect(own.id).not.toBe(tenant.id);
    expect(await membersOf(tenant.console)).toHaveLength(1);
  });

  test('members may remove themselves, except for the last owner', async () => {
    const tenant = await makeTenant(stack);
    const { user } = await meOf(tenant.console);
    const ann = await join(tenant, 'auditor');
    expect(await ann.session.send('DELETE', `/v1/members/${user.id}`)).toMatchObject({
      status: 403,
      body: { error: 'role_not_allowed' },
    });
    expect(await ann.session.send('DELETE', `/v1/members/${ann.id}`)).toMatchObject({ status: 204 });
    expect(await tenant.console.send('DELETE', `/v1/members/${user.id}`)).toMatchObject({
      status: 409,
      body: { error: 'last_owner' },
    });
  });

  test('removing a member keeps the API keys that they created and revokes their invitations', async () => {
    const tenant = await makeTenant(stack);
    const ann = await join(tenant, 'owner');
    const minted = await ann.session.send('POST', '/v1/api-keys', { name: 'hers' });
    const { token } = await inviteTo({ console: ann.session }, 'admin');
    await tenant.console.send('DELETE', `/v1/members/${ann.id}`);
    expect(await tenant.console.send('GET', `/v1/api-keys/${Object(minted.body).id}`)).toMatchObject({ status: 200 });
    expect(await ann.session.send('POST', '/v1/invitations/preview', { token })).toMatchObject({ status: 404 });
  });

  test('removing a user who is not a member gets 404', async () => {
    const tenant = await makeTenant(stack);
    expect(await tenant.console.send('DELETE', `/v1/members/${randomUUID()}`)).toMatchObject({ status: 404 });
  });
});

test('a tenant has no name until PATCH /v1/tenant sets one, and the name null removes it', async () => {
  const tenant = await makeTenant(stack);
  expect((await meOf(tenant.console)).tenant.name).toBeNull();
  const named = await tenant.console.send('PATCH', '/v1/tenant', { name: 'Acme' });
  expect(named).toMatchObject({ status: 200, body: { id: tenant.id, name: 'Acme' } });
  expect((await meOf(tenant.console)).tenant.name).toBe('Acme');
  expect(await tenant.console.send('PATCH', '/v1/tenant', { name: null })).toMatchObject({ body: { name: null } });
  expect(await tenant.console.send('PATCH', '/v1/tenant', {})).toMatchObject({ body: { error: 'invalid_request' } });
  expect(await tenant.console.send('PATCH', '/v1/tenant', { name: '' })).toMatchObject({
    body: { error: 'invalid_name' },
  });
});
