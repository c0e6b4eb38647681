import { expect } from 'vitest';
import { keyEventsOfTenant } from '../../test/support/audit.ts';
import { text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { makeContainer, makeTenant, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/audit',
    credential: 'console',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    query: ['since', 'until', 'limit', 'cursor', 'operation', 'result', 'key_id', 'api_key_id', 'user_id', 'target_id'],
    refuses: [['400 invalid_query', { query: '?result=no' }]],
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('the tenant’s audit log has the events of its keys in every container, newest first', async ({ stack }) => {
      const owner = await makeTenant(stack);
      const first = await owner.createKey('wrapped');
      const body = { ...named(), tier: 'wrapped', container_id: await makeContainer(owner) };
      const second = text(await owner.console.send('POST', '/v1/keys', body), 'id');
      await owner.api.send('POST', `/v1/keys/${first}/wrap`, {});
      await owner.console.send('DELETE', `/v1/keys/${second}`);
      const events = await keyEventsOfTenant(owner.console);
      expect(events.map(({ operation, key_id }) => [operation, key_id])).toEqual([
        ...[
          ['delete_key', second],
          ['wrap', first],
          ['create_key', second],
          ['create_key', first],
        ],
      ]);
    });
  },
);
