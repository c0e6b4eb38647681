import { expect } from 'vitest';
import { list } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, makeFirewall, makeTenant } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/firewalls',
    credential: 'console',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('the firewalls of all containers are listed, oldest first', async ({ stack }) => {
      const tenant = await makeTenant(stack);
      const inOther = { container_id: await makeContainer(tenant) };
      const made = [await makeFirewall(tenant), await makeFirewall(tenant, inOther), await makeFirewall(tenant)];
      expect(list(await tenant.console.send('GET', '/v1/firewalls')).map(({ id }) => id)).toEqual(made);
    });
  },
);
