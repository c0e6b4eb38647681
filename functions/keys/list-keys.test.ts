import { expect } from 'vitest';
import { list, text } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { type Client, makeContainer, makeTenant, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'GET /v1/keys',
    credential: 'either',
    roles: ['owner', 'admin', 'auditor'],
    good: '200',
    dependencies: ['firestore'],
    request: () => ({}),
  },
  () => {
    test('a session lists all keys of the tenant, and an API key lists the keys of its container or key list, oldest first', async ({
      stack,
    }) => {
      const { api, console, mint } = await makeTenant(stack);
      const { client: inOther } = await mint({ container_id: await makeContainer({ console }) });
      const keys: string[] = [];
      for (const client of [api, inOther, console, inOther]) {
        keys.push(text(await client.send('POST', '/v1/keys', { ...named(), tier: 'wrapped' }), 'id'));
      }
      const [first = '', second = '', third = '', fourth = ''] = keys;
      const { client: listed } = await mint({ key_ids: [third] });
      await console.send('DELETE', `/v1/keys/${first}`);
      const idsFor = async (client: Client) => [
        list(await client.send('GET', '/v1/keys')).map(({ id }) => id),
        list(await client.send('GET', '/v1/usage')).map(({ key_id }) => key_id),
      ];
      expect(await idsFor(console)).toEqual([keys, keys]);
      expect(await idsFor(api)).toEqual(Array(2).fill([first, third]));
      expect(await idsFor(inOther)).toEqual(Array(2).fill([second, fourth]));
      expect(await idsFor(listed)).toEqual(Array(2).fill([third]));
    });
  },
);
