import { expect } from 'vitest';
import { list } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, makeTenant } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/containers',
    credential: 'console',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('a new tenant has one container, the default container, and containers are listed oldest first', async ({
      stack,
    }) => {
      const tenant = await makeTenant(stack);
      const added = [await makeContainer(tenant), await makeContainer(tenant)];
      const all = list(await tenant.console.send('GET', '/v1/containers'));
      expect(all[0]).toMatchObject({ name: 'default', is_default: true });
      expect(all.slice(1)).toMatchObject(added.map((id) => ({ id, is_default: false })));
      expect(all.map(({ created_at }) => created_at)).toEqual(all.map(({ created_at }) => created_at).sort());
    });
  },
);
