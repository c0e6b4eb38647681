import { expect } from 'vitest';
import { list, outcome, text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, makeTenant, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'PATCH /v1/containers/{id}',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '200',
    event: 'rename_container',
    changes: [{ field: 'name', before: expect.any(String), after: expect.any(String) }],
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({ id: await makeContainer(tenant), body: named() }),
    refuses: [
      ['400 invalid_name', { body: { name: '' } }],
      ['409 container_exists', { body: { name: 'default' } }],
    ],
  },
  () => {
    test('a rename changes only the name, and a container may be given its own name', async ({ tenant }) => {
      const path = `/v1/containers/${await makeContainer(tenant)}`;
      const { body: before } = await tenant.console.send('GET', path);
      const expected = { status: 200, body: { ...Object(before), name: 'refunds' } };
      for (const _ of ['renamed', 'the same']) {
        expect(await tenant.console.send('PATCH', path, { name: 'refunds' })).toMatchObject(expected);
      }
      expect(await tenant.console.send('GET', path)).toMatchObject(expected);
    });

    test('after a rename, the default container stays the default, and its old name is free', async ({ stack }) => {
      const { console } = await makeTenant(stack);
      const [before] = list(await console.send('GET', '/v1/containers'));
      await console.send('PATCH', `/v1/containers/${before?.id}`, { name: 'main' });
      expect(outcome(await console.send('POST', '/v1/containers', { name: 'default' }))).toBe('201');
      const [after] = list(await console.send('GET', '/v1/containers'));
      expect(after).toEqual({ ...before, name: 'main' });
      const key = await console.send('POST', '/v1/keys', { ...named(), tier: 'wrapped' });
      expect(text(key, 'container_id')).toBe(before?.id);
    });
  },
);
