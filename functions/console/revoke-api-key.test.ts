import { expect } from 'vitest';
import { list, outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { expectRefusal } from '../../test/support/refusal.ts';

operation(
  {
    call: 'DELETE /v1/api-keys/{id}',
    credential: 'console',
    roles: ['owner', 'admin'],
    good: '204',
    event: 'revoke_api_key',
    dependencies: ['firestore', 'pdp'],
    request: async ({ mint }) => ({ id: (await mint()).id }),
  },
  () => {
    test('a revoked API key gets 401 from its next request on, is neither found nor listed, and no other is revoked', async ({
      tenant: { api, console, mint },
    }) => {
      const { id, client } = await mint();
      const path = `/v1/api-keys/${id}`;
      expect(outcome(await client.send('GET', '/v1/keys'))).toBe('200');
      await console.send('DELETE', path);
      expectRefusal(await client.send('GET', '/v1/keys'), '401 unauthorized');
      for (const method of ['GET', 'DELETE']) expectRefusal(await console.send(method, path), '404 not_found');
      expectRefusal(await console.send('PATCH', path, { name: 'again' }), '404 not_found');
      expect(list(await console.send('GET', '/v1/api-keys')).map((apiKey) => apiKey.id)).not.toContain(id);
      expect(outcome(await api.send('GET', '/v1/keys'))).toBe('200');
    });
  },
);
