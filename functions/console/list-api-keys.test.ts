import { expect } from 'vitest';
import { list } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, makeTenant } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/api-keys',
    credential: 'console',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('the API keys of all containers are listed, oldest first, and never with a secret', async ({ stack }) => {
      const tenant = await makeTenant(stack);
      const [inOther, last] = [await tenant.mint({ container_id: await makeContainer(tenant) }), await tenant.mint()];
      const answer = await tenant.console.send('GET', '/v1/api-keys');
      expect(list(answer).map(({ id }) => id)).toEqual([tenant.apiKeyId, inOther.id, last.id]);
      expect(JSON.stringify(answer.body)).not.toMatch(/argon2|"[^"]*(secret|hash)[^"]*":/i);
      expect(JSON.stringify(answer.body)).not.toContain(last.client.token?.slice(-43));
    });
  },
);
