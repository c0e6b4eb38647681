import { expect } from 'vitest';
import { list, outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeFirewall } from '../../test/support/tenant.ts';

operation(
  {
    call: 'DELETE /v1/firewalls/{id}',
    credential: 'console',
    roles: ['owner', 'admin'],
    good: '204',
    event: 'delete_firewall',
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({ id: await makeFirewall(tenant) }),
    refuses: [
      [
        '409 firewall_in_use',
        async (tenant) => {
          const id = await makeFirewall(tenant);
          await tenant.mint({ firewall_id: id });
          return { id };
        },
      ],
    ],
  },
  () => {
    test('a firewall is in use until the last API key with it is revoked or changed', async ({ tenant }) => {
      const { console, mint } = tenant;
      const firewall_id = await makeFirewall(tenant);
      const [first, second] = [await mint({ firewall_id }), await mint()];
      await console.send('PATCH', `/v1/api-keys/${second.id}`, { firewall_id });
      const remove = async () => outcome(await console.send('DELETE', `/v1/firewalls/${firewall_id}`));
      expect(await remove()).toBe('409 firewall_in_use');
      await console.send('DELETE', `/v1/api-keys/${first.id}`);
      expect(await remove()).toBe('409 firewall_in_use');
      await console.send('PATCH', `/v1/api-keys/${second.id}`, { firewall_id: null });
      expect(await remove()).toBe('204');
      const late = await console.send('PATCH', `/v1/api-keys/${second.id}`, { firewall_id });
      expect(outcome(late)).toBe('400 invalid_firewall');
    });

    test('a deleted firewall is neither found nor listed', async ({ tenant }) => {
      const id = await makeFirewall(tenant);
      await tenant.console.send('DELETE', `/v1/firewalls/${id}`);
      for (const method of ['GET', 'DELETE']) {
        expect(outcome(await tenant.console.send(method, `/v1/firewalls/${id}`))).toBe('404 not_found');
      }
      expect(list(await tenant.console.send('GET', '/v1/firewalls')).map((one) => one.id)).not.toContain(id);
    });
  },
);
