import { expect } from 'vitest';
import { outcome } from '../../test/support/client.ts';
import { atLimit } from '../../test/support/counts.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeTenant, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'POST /v1/containers',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '201',
    event: 'create_container',
    changes: [{ field: 'name', before: null, after: expect.any(String) }],
    dependencies: ['firestore', 'pdp'],
    request: () => ({ body: named() }),
    refuses: [
      ['400 invalid_request', { body: { name: null } }],
      ['400 invalid_name', { body: { name: '' } }],
      ['409 container_exists', { body: { name: 'default' } }],
      ['409 limit_reached', atLimit('containers', 100)],
    ],
  },
  () => {
    test('a name is unique in its tenant, not among tenants, and is free again after a rename or a deletion', async ({
      tenant: { console },
    }) => {
      const create = (name: string, by = console) => by.send('POST', '/v1/containers', { name });
      const path = `/v1/containers/${Object((await create('unique')).body).id}`;
      expect(outcome(await create('unique'))).toBe('409 container_exists');
      await console.send('PATCH', path, { name: 'former' });
      expect(outcome(await create('unique'))).toBe('201');
      await console.send('DELETE', path);
      expect(outcome(await create('former'))).toBe('201');
      const { console: another } = await makeTenant(console.stack);
      expect(outcome(await create('unique', another))).toBe('201');
    });
  },
);
