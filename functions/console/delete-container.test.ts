import { expect } from 'vitest';
import { list, outcome, text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, named } from '../../test/support/tenant.ts';

/** The kinds of objects in a container: path, more fields, and the requests that remove an object. */
const CONTENTS = [
  ['/v1/keys', { tier: 'software' }, ['DELETE', ''], ['POST', '/destroy']],
  ['/v1/api-keys', {}, ['DELETE', '']],
  ['/v1/firewalls', { allowed_ips: ['192.0.2.1'] }, ['DELETE', '']],
] as const;

operation(
  {
    call: 'DELETE /v1/containers/{id}',
    credential: 'console',
    roles: ['owner', 'admin'],
    good: '204',
    event: 'delete_container',
    dependencies: ['firestore', 'pdp'],
    request: async (tenant) => ({ id: await makeContainer(tenant) }),
    refuses: [
      [
        '409 container_is_default',
        async ({ console }) => ({ id: String(list(await console.send('GET', '/v1/containers'))[0]?.id) }),
      ],
      [
        '409 container_not_empty',
        async (tenant) => {
          const id = await makeContainer(tenant);
          await tenant.mint({ container_id: id });
          return { id };
        },
      ],
    ],
  },
  () => {
    test.for(CONTENTS)(
      'a container is not empty until its objects in %s are removed, even if they are pending deletion',
      async ([path, fields, ...removals], { tenant }) => {
        const { console } = tenant;
        const container_id = await makeContainer(tenant);
        const remove = async () => outcome(await console.send('DELETE', `/v1/containers/${container_id}`));
        const id = text(await console.send('POST', path, { ...named(), ...fields, container_id }), 'id');
        for (const [method, suffix] of removals) {
          expect(await remove()).toBe('409 container_not_empty');
          await console.send(method, `${path}/${id}${suffix}`);
        }
        expect(await remove()).toBe('204');
        const late = await console.send('POST', path, { ...named(), ...fields, container_id });
        expect(outcome(late)).toBe('400 invalid_container');
      },
    );

    test('a deleted container is neither found nor listed', async ({ tenant }) => {
      const id = await makeContainer(tenant);
      await tenant.console.send('DELETE', `/v1/containers/${id}`);
      for (const method of ['GET', 'DELETE']) {
        expect(outcome(await tenant.console.send(method, `/v1/containers/${id}`))).toBe('404 not_found');
      }
      expect(list(await tenant.console.send('GET', '/v1/containers')).map((one) => one.id)).not.toContain(id);
    });
  },
);
