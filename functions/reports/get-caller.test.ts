import { expect } from 'vitest';
import { text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { join } from '../../test/support/team.ts';
import { makeFirewall } from '../../test/support/tenant.ts';

const address = '127.0.0.1';

operation(
  {
    call: 'GET /v1/caller',
    credential: 'either',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('an API key is shown with its name, actions, restrictions and address', async ({ tenant }) => {
      const key = await tenant.createKey('wrapped');
      const firewall_id = await makeFirewall(tenant, { allowed_ips: [address] });
      const shown = { name: 'shop', allowed_actions: ['encrypt'], key_ids: [key], firewall_id };
      const { id, client } = await tenant.mint(shown);
      const container_id = text(await tenant.console.send('GET', `/v1/keys/${key}`), 'container_id');
      const { body } = await client.send('GET', '/v1/caller');
      expect(body).toEqual({ kind: 'api_key', id, ...shown, role: null, container_id, address, workload: null });
    });

    test('a user is shown with their name, role and address', async ({ tenant }) => {
      const { id, session } = await join(tenant, 'auditor', { name: 'Ada' });
      const none = { container_id: null, allowed_actions: null, key_ids: null, firewall_id: null, workload: null };
      const { body } = await session.send('GET', '/v1/caller');
      expect(body).toEqual({ kind: 'session', id, name: 'Ada', role: 'auditor', ...none, address });
    });
  },
);
