import { expect } from 'vitest';
import { operation, test } from '../../test/support/operation.ts';
import { makeFirewall, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'PATCH /v1/firewalls/{id}',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '200',
    event: 'update_firewall',
    changes: [
      { field: 'name', before: expect.any(String), after: expect.any(String) },
      { field: 'allowed_ips', before: ['192.0.2.0/24'], after: ['198.51.100.7/32'] },
    ],
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({
      id: await makeFirewall(tenant),
      body: { ...named(), allowed_ips: ['198.51.100.7'] },
    }),
    refuses: [
      ['400 invalid_request', { body: { container_id: null } }],
      ['400 invalid_request', { body: { allowed_ips: '192.0.2.1' } }],
      ['400 invalid_name', { body: { name: '' } }],
      ['400 invalid_allowed_ips', { body: { allowed_ips: [] } }],
      [
        '409 firewall_exists',
        async (tenant) => {
          const taken = named();
          await makeFirewall(tenant, taken);
          return { body: taken };
        },
      ],
    ],
  },
  () => {
    test('a change leaves out what the request leaves out, and moves updated_at only if something changes', async ({
      tenant: { console },
      tenant,
    }) => {
      const path = `/v1/firewalls/${await makeFirewall(tenant, { name: 'home' })}`;
      const { body: before } = await console.send('GET', path);
      for (const body of [{}, { name: 'home' }]) {
        expect(await console.send('PATCH', path, body)).toMatchObject({ status: 200, body: Object(before) });
      }
      const { body: after } = await console.send('PATCH', path, { name: 'lab' });
      expect(after).toEqual({ ...Object(before), name: 'lab', updated_at: expect.any(String) });
      expect(Object(after).updated_at > Object(before).updated_at).toBe(true);
    });
  },
);
