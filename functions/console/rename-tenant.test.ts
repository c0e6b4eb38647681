import { expect } from 'vitest';
import { outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { meOf } from '../../test/support/team.ts';
import { makeTenant, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'PATCH /v1/tenant',
    credential: 'console',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '200',
    event: 'rename_tenant',
    isAboutTenant: true,
    changes: [{ field: 'name', before: expect.toBeOneOf([null, expect.any(String)]), after: expect.any(String) }],
    dependencies: ['firestore', 'pdp'],
    request: () => ({ body: named() }),
    refuses: [
      ['400 invalid_request', { body: { name: 7 } }],
      ['400 invalid_name', { body: { name: '' } }],
    ],
  },
  () => {
    test('a request without a name gets 400', async ({ tenant }) => {
      expect(outcome(await tenant.console.send('PATCH', '/v1/tenant', {}))).toBe('400 invalid_request');
    });

    test('a tenant has no name until a request sets one, and the name null removes it', async ({ stack }) => {
      const { id, console } = await makeTenant(stack);
      expect((await meOf(console)).tenant.name).toBeNull();
      for (const name of ['Acme', null]) {
        expect(await console.send('PATCH', '/v1/tenant', { name })).toMatchObject({ status: 200, body: { id, name } });
        expect((await meOf(console)).tenant.name).toBe(name);
      }
    });
  },
);
