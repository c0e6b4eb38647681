import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { list, outcome, text } from '../../test/support/client.ts';
import { atLimit } from '../../test/support/counts.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, makeFirewall, makeTenant, named } from '../../test/support/tenant.ts';

const allowed_ips = ['192.0.2.0/24'];

operation(
  {
    call: 'POST /v1/firewalls',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '201',
    event: 'create_firewall',
    changes: [
      { field: 'name', before: null, after: expect.any(String) },
      { field: 'allowed_ips', before: null, after: ['2001:db8::1/128', '192.0.2.0/24'] },
    ],
    dependencies: ['firestore', 'pdp'],
    request: () => ({ body: { ...named(), allowed_ips: ['2001:DB8::1', '192.0.2.0/24', '2001:db8::1/128'] } }),
    refuses: [
      ['400 invalid_request', { body: { allowed_ips: [1] } }],
      ['400 invalid_name', { body: { name: '' } }],
      ['400 invalid_allowed_ips', { body: { allowed_ips: ['192.0.2.0/24', '192.0.2.1/24'] } }],
      ['400 invalid_container', { body: { container_id: randomUUID() } }],
      [
        '409 firewall_exists',
        async (tenant) => {
          const taken = named();
          await makeFirewall(tenant, taken);
          return { body: taken };
        },
      ],
      ['409 limit_reached', atLimit('firewalls', 1_000)],
    ],
  },
  () => {
    test('a firewall belongs to the default container unless the request names another, and was not updated yet', async ({
      tenant,
    }) => {
      const { console } = tenant;
      const [container] = list(await console.send('GET', '/v1/containers'));
      const { body } = await console.send('POST', '/v1/firewalls', { ...named(), allowed_ips });
      expect(body).toMatchObject({ container_id: container?.id, updated_at: Object(body).created_at });
      const container_id = await makeContainer(tenant);
      const inOther = await console.send('POST', '/v1/firewalls', { ...named(), allowed_ips, container_id });
      expect(text(inOther, 'container_id')).toBe(container_id);
    });

    test.for([
      [['127.0.0.0/8'], '200'],
      [['::ffff:127.0.0.1'], '200'],
      [['192.0.2.0/24', '2001:db8::/32', '127.0.0.1', '198.51.100.1'], '200'],
      [['127.0.0.2'], '403 ip_not_allowed'],
      [['::/0'], '403 ip_not_allowed'],
    ] as const)('with the networks %j, a request from 127.0.0.1 gets %s', async ([networks, expected], { tenant }) => {
      const { client } = await tenant.mint({ firewall_id: await makeFirewall(tenant, { allowed_ips: networks }) });
      expect(outcome(await client.send('GET', '/v1/keys'))).toBe(expected);
    });

    test('a name is unique in its container, and is free again after a rename or a deletion', async ({ tenant }) => {
      const { console } = tenant;
      const path = `/v1/firewalls/${await makeFirewall(tenant, { name: 'unique' })}`;
      const create = async (body: object) =>
        outcome(await console.send('POST', '/v1/firewalls', { allowed_ips, ...body }));
      expect(await create({ name: 'unique' })).toBe('409 firewall_exists');
      expect(await create({ name: 'unique', container_id: await makeContainer(tenant) })).toBe('201');
      await console.send('PATCH', path, { name: 'former' });
      expect(await create({ name: 'unique' })).toBe('201');
      await console.send('DELETE', path);
      expect(await create({ name: 'former' })).toBe('201');
    });

    test('a firewall cannot be created in another tenant’s container, nor in one whose id is malformed', async ({
      stack,
      tenant,
    }) => {
      const foreign = await makeContainer(await makeTenant(stack));
      for (const container_id of [foreign, 'x']) {
        const answer = await tenant.console.send('POST', '/v1/firewalls', { ...named(), allowed_ips, container_id });
        expect(outcome(answer)).toBe('400 invalid_container');
      }
    });

    test('the refusal of a network with host bits names the network that was meant', async ({ tenant }) => {
      const body = { ...named(), allowed_ips: ['10.1.2.3/8'] };
      expect(text(await tenant.console.send('POST', '/v1/firewalls', body), 'message')).toContain('10.0.0.0/8');
    });
  },
);
