import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventsOfKey, inWords } from '../../test/support/audit.ts';
import { outcome } from '../../test/support/client.ts';
import { makePending } from '../../test/support/deletion.ts';
import { operation, test } from '../../test/support/operation.ts';
import { encrypt } from '../../test/support/operations.ts';
import { makeContainer, named } from '../../test/support/tenant.ts';

operation(
  {
    call: 'PATCH /v1/keys/{id}',
    credential: 'either',
    action: 'rename',
    roles: ['owner', 'admin'],
    body: 'required',
    good: '200',
    event: 'rename_key',
    dependencies: ['firestore', 'pdp'],
    request: async ({ createKey }, tier) => ({ id: await createKey(tier), body: named() }),
    refuses: [
      ['400 invalid_name', { body: { name: '' } }],
      ['409 key_pending_deletion', async (tenant) => ({ id: await makePending(tenant) })],
      [
        '409 key_exists',
        async ({ createKey }) => {
          const taken = named();
          await createKey('wrapped', taken.name);
          return { body: taken };
        },
      ],
      [
        '409 key_pending_deletion',
        async ({ api, createKey }) => {
          const same = named();
          const id = await createKey('wrapped', same.name);
          await api.send('DELETE', `/v1/keys/${id}`);
          return { id, body: same };
        },
      ],
    ],
  },
  () => {
    test('a rename changes only the name, frees the old name at once, and keeps ciphertext readable', async ({
      tenant: { api, createKey },
    }) => {
      const [before, after] = [named(), named()];
      const id = await createKey('software', before.name);
      const created = await api.send('GET', `/v1/keys/${id}`);
      const ciphertext = await encrypt(api, id, 'AAAA');
      const fixed = { id: randomUUID(), tier: 'hsm', container_id: randomUUID(), state: 'destroyed', color: 'red' };
      const renamed = await api.send('PATCH', `/v1/keys/${id}`, { ...fixed, ...after });
      expect(renamed.body).toEqual({ ...Object(created.body), ...after });
      expect((await api.send('POST', `/v1/keys/${id}/decrypt`, { ciphertext })).body).toEqual({ plaintext: 'AAAA' });
      expect(outcome(await api.send('POST', '/v1/keys', { ...before, tier: 'wrapped' }))).toBe('201');
    });

    test('renaming a key to its current name returns 200 and is not recorded', async ({
      tenant: { api, createKey },
    }) => {
      const { name } = named();
      const id = await createKey('wrapped', name);
      expect(outcome(await api.send('PATCH', `/v1/keys/${id}`, { name }))).toBe('200');
      expect(inWords(await eventsOfKey(api, id))).toEqual(['create_key']);
    });

    test('a name is unique in its container, and differs from one with another case or composition', async ({
      tenant: { console },
    }) => {
      const container_id = await makeContainer({ console });
      const create = async (body: object) =>
        outcome(await console.send('POST', '/v1/keys', { tier: 'wrapped', ...body }));
      expect(await create({ name: 'caf\u00e9' })).toBe('201');
      expect(await create({ name: 'caf\u00e9', container_id })).toBe('201');
      expect(await create({ name: 'caf\u00e9' })).toBe('409 key_exists');
      expect(await create({ name: 'CAF\u00c9' })).toBe('201');
      expect(await create({ name: 'cafe\u0301' })).toBe('201');
    });
  },
);
