import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { type Answer, list, send } from '../../support/client.ts';
import { read, timestamp, uuid } from '../../support/objects.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { signIn } from '../../support/tenant.ts';

const stack = inject('stack');
const meObject = z.strictObject({
  user: z.strictObject({ id: uuid, email: z.string().nullable(), name: z.string().nullable() }),
  tenant: z.strictObject({ id: uuid, name: z.null(), created_at: timestamp }),
  role: z.literal('owner'),
});

function readMe(answer: Answer) {
  expect(answer.status).toBe(200);
  return read(meObject, answer);
}

describe('the first GET /v1/me of a subject', () => {
  test('concurrent first calls of GET /v1/me create one user, one tenant and one default container', async () => {
    const session = await signIn(stack, randomUUID());
    const answers: Promise<Answer>[] = [];
    for (let call = 1; call <= 20; call++) {
      answers.push(session.send('GET', '/v1/me'));
      // Waiting here spreads the calls over time, so that some arrive while others run.
      if (call % 4 === 0) await send('GET', `${stack.baseUrl}/health`);
    }
    const [first, ...others] = (await Promise.all(answers)).map(readMe);
    for (const other of others) expect(other).toEqual(first);
    expect(readMe(await session.send('GET', '/v1/me'))).toEqual(first);
    const containers = list(await session.send('GET', '/v1/containers'));
    expect(containers).toMatchObject([{ name: 'default', is_default: true }]);
    expect((await session.send('GET', '/v1/api-keys')).body).toEqual([]);
    expect((await session.send('GET', '/v1/keys')).body).toEqual([]);
  });

  test('other routes return 403 no_tenant before the first GET /v1/me', async () => {
    const session = await signIn(stack, randomUUID());
    for (const [method, path] of [
      ['GET', '/v1/keys'],
      ['GET', '/v1/usage'],
      ['GET', '/v1/audit'],
      ['GET', '/v1/containers'],
      ['POST', '/v1/api-keys'],
      ['GET', '/v1/billing'],
      ['POST', `/v1/keys/${randomUUID()}/encrypt`],
    ] as const) {
      expectRefusal(await session.send(method, path), '403 no_tenant');
    }
    readMe(await session.send('GET', '/v1/me'));
    expect((await session.send('GET', '/v1/keys')).status).toBe(200);
  });

  test('each subject gets a different user and tenant', async () => {
    const [one, two] = [await signIn(stack, randomUUID()), await signIn(stack, randomUUID())];
    const [firstUser, secondUser] = [readMe(await one.send('GET', '/v1/me')), readMe(await two.send('GET', '/v1/me'))];
    expect(firstUser.user.id).not.toBe(secondUser.user.id);
    expect(firstUser.tenant.id).not.toBe(secondUser.tenant.id);
  });

  test('GET /v1/me does not reveal the subject of the access token', async () => {
    const subject = randomUUID();
    const answer = await (await signIn(stack, subject)).send('GET', '/v1/me');
    readMe(answer);
    expect(JSON.stringify(answer.body)).not.toContain(subject);
  });

  test('the subject of an access token can be any text', async () => {
    const ids = new Set<string>();
    const tag = randomUUID();
    for (const subject of [
      `${tag}/a`,
      `${tag}/a/b`,
      `${tag}|x`,
      `${tag} é`,
      `..${tag}`,
      `__${tag}__`,
      tag.repeat(30),
    ]) {
      ids.add(readMe(await (await signIn(stack, subject)).send('GET', '/v1/me')).tenant.id);
    }
    expect(ids.size).toBe(7);
  });
});

describe('email and name', () => {
  test.each([
    ['a token with both', { email: 'a@example.com', name: 'Ada' }, { email: 'a@example.com', name: 'Ada' }],
    ['a token with neither', {}, { email: null, name: null }],
    ['a token with only an email', { email: 'a@example.com' }, { email: 'a@example.com', name: null }],
    ['a token with only a name', { name: 'Ada' }, { email: null, name: 'Ada' }],
  ])('a user’s email and name come from the access token and are null if absent: %s', async (_, claims, expected) => {
    const session = await signIn(stack, randomUUID(), claims);
    for (let time = 1; time <= 2; time++) {
      expect(readMe(await session.send('GET', '/v1/me')).user).toMatchObject(expected);
    }
  });

  test('a new access token changes the email and name of a user but not the user’s id', async () => {
    const subject = randomUUID();
    const before = readMe(await (await signIn(stack, subject, { email: 'old@example.com' })).send('GET', '/v1/me'));
    const after = readMe(await (await signIn(stack, subject, { name: 'New' })).send('GET', '/v1/me'));
    expect(after).toEqual({ ...before, user: { id: before.user.id, email: null, name: 'New' } });
  });
});
