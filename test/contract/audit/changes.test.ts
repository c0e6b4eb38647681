import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfTenant } from '../../support/audit.ts';
import { text } from '../../support/client.ts';
import { join, meOf } from '../../support/team.ts';
import { type Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let console: Client;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  console = tenant.console;
});

/** Sends a request, and returns the changes of the event that it causes. */
async function changesOf(method: string, path: string, body?: unknown, by = console) {
  const { status } = await by.send(method, path, body);
  expect([method, path, status]).toEqual([method, path, expect.any(Number)]);
  expect(status).toBeLessThan(300);
  return latest();
}

async function latest() {
  const [event] = await eventsOfTenant(console);
  return event?.changes;
}

const create = async (path: string, body: object) => text(await console.send('POST', path, body), 'id');
const change = (field: string, before: unknown, after: unknown) => ({ field, before, after });

describe('the changes of an event', () => {
  test('a new API key has the fields that were given, as the API shows them', async () => {
    const [key, firewall] = [
      await tenant.createKey('wrapped'),
      await create('/v1/firewalls', { name: 'office', allowed_ips: ['192.0.2.1'] }),
    ];
    const { container_id } = Object((await console.send('GET', `/v1/keys/${key}`)).body);
    const nulls = { allowed_actions: null, key_ids: null, firewall_id: null };
    expect(await changesOf('POST', '/v1/api-keys', { name: 'a', ...nulls, container_id })).toEqual([
      change('name', null, 'a'),
    ]);
    expect(await changesOf('POST', '/v1/api-keys', { name: 'b', allowed_actions: [] })).toEqual([
      change('name', null, 'b'),
      change('allowed_actions', null, []),
    ]);
    const allowed_actions = ['decrypt', 'encrypt', 'decrypt'];
    const given = { name: 'c', allowed_actions, key_ids: [key.toUpperCase(), key], firewall_id: firewall };
    expect(await changesOf('POST', '/v1/api-keys', given)).toEqual([
      change('name', null, 'c'),
      change('allowed_actions', null, ['encrypt', 'decrypt']),
      change('key_ids', null, [key]),
      change('firewall_id', null, firewall),
    ]);
  });

  test('operations on keys and refusals have null, on both audit routes', async () => {
    const id = await tenant.createKey('wrapped');
    await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
    await tenant.api.send('PATCH', `/v1/keys/${id}`, { name: randomUUID() });
    const { body } = await tenant.api.send('GET', `/v1/keys/${id}/audit`);
    expect(body).toMatchObject([{ changes: null }, { changes: null }, { changes: null }]);
    const { session } = await join(tenant, 'auditor');
    expect((await session.send('POST', '/v1/containers', { name: 'no' })).status).toBe(403);
    expect(await latest()).toBeNull();
    expect((await meOf(session)).role).toBe('auditor');
  });
});
