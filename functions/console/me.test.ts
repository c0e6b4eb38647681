import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { list } from '../../test/support/client.ts';
import { read, timestamp, uuid } from '../../test/support/objects.ts';
import { operation, test } from '../../test/support/operation.ts';
import { signIn } from '../../test/support/tenant.ts';

const newOwner = z.strictObject({
  user: z.strictObject({ id: uuid, email: z.string().nullable(), name: z.string().nullable() }),
  tenant: z.strictObject({ id: uuid, name: z.null(), created_at: timestamp }),
  role: z.literal('owner'),
});

operation(
  { call: 'GET /v1/me', credential: 'newcomer', good: '200', dependencies: ['firestore'], request: () => ({}) },
  () => {
    test('each subject, which can be any text, gets a different user and tenant, and is not shown', async ({
      stack,
    }) => {
      const tag = randomUUID();
      const subjects = [`${tag}/a`, `${tag}/a/b`, `${tag}|x`, `${tag} é`, `..${tag}`, `__${tag}__`, tag.repeat(30)];
      const ids = new Set<string>();
      for (const subject of subjects) {
        const answer = await (await signIn(stack, subject)).send('GET', '/v1/me');
        const { user, tenant } = read(newOwner, answer);
        ids.add(user.id).add(tenant.id);
        expect(JSON.stringify(answer.body)).not.toContain(tag);
      }
      expect(ids.size).toBe(2 * subjects.length);
    });

    test('the email and name of a user are those of the access token, or null, and a new token changes them', async ({
      stack,
    }) => {
      const subject = randomUUID();
      const found = [];
      for (const claims of [{ email: 'a@example.com', name: 'Ada' }, { email: 'a@example.com' }, { name: 'New' }, {}]) {
        const session = await signIn(stack, subject, claims);
        const { user } = read(newOwner, await session.send('GET', '/v1/me'));
        found.push(user);
      }
      const [{ id } = { id: '' }] = found;
      expect(found).toEqual([
        { id, email: 'a@example.com', name: 'Ada' },
        { id, email: 'a@example.com', name: null },
        { id, email: null, name: 'New' },
        { id, email: null, name: null },
      ]);
    });

    test('the other members see the email and name of the last token', async ({ stack }) => {
      const subject = randomUUID();
      await (await signIn(stack, subject)).send('GET', '/v1/me');
      const ada = await signIn(stack, subject, { email: 'a@example.com', name: 'Ada' });
      await ada.send('GET', '/v1/me');
      expect(list(await ada.send('GET', '/v1/members'))).toMatchObject([{ email: 'a@example.com', name: 'Ada' }]);
    });
  },
);
