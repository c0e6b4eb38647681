import { randomUUID } from 'node:crypto';
import { describe, expect, inject } from 'vitest';
import { outcome } from '../../test/support/client.ts';
import { operation, test } from '../../test/support/operation.ts';
import { openSealing } from '../../test/support/sealed-log.ts';
import { accept, fillMembers, inviteTo, meOf, signInSomebody } from '../../test/support/team.ts';
import { type Client, makeTenant, signIn } from '../../test/support/tenant.ts';

async function tokenOfFullTenant(stack: Client['stack']): Promise<string> {
  const full = await makeTenant(stack);
  const { token } = await inviteTo(full, 'auditor');
  await fillMembers(stack, full.id, 100);
  return token;
}

operation(
  {
    call: 'POST /v1/invitations/accept',
    credential: 'newcomer',
    body: 'required',
    good: '200',
    ofMember: '409 already_member',
    event: 'accept_invitation',
    dependencies: ['firestore'],
    request: async (tenant) => {
      const { id, token } = await inviteTo(tenant, 'auditor');
      return { id, body: { token } };
    },
    refuses: [
      ['400 invalid_request', { body: { token: null } }],
      ['404 not_found', { body: { token: 'none' } }],
      ['409 already_member', async ({ console }) => ({ as: console })],
      [
        '409 already_member',
        async ({ console }) => ({ as: console, body: { token: await tokenOfFullTenant(console.stack) } }),
      ],
      [
        '409 limit_reached',
        async ({ console: { stack } }) => ({
          as: await signIn(stack, randomUUID()),
          body: { token: await tokenOfFullTenant(stack) },
        }),
      ],
    ],
  },
  () => {
    const stack = inject('stack');
    const NOT_FOUND = { status: 404, body: { error: 'not_found' } };
    const ALREADY_MEMBER = { status: 409, body: { error: 'already_member' } };

    function tryToken(session: Client, token: string, how: 'accept' | 'preview' = 'accept') {
      return session.send('POST', `/v1/invitations/${how}`, { token });
    }

    test('any signed-in user can preview an invitation without using it up', async () => {
      const tenant = await makeTenant(stack);
      await tenant.console.send('PATCH', '/v1/tenant', { name: 'Acme' });
      const { token, expires_at } = await inviteTo(tenant, 'admin', 'hello');
      const other = await makeTenant(stack);
      for (const session of [await signInSomebody(stack), other.console, tenant.console]) {
        expect(await tryToken(session, token, 'preview')).toMatchObject({
          status: 200,
          body: {
            tenant_name: 'Acme',
            role: 'admin',
            note: 'hello',
            invited_by: { email: null, name: null },
            expires_at,
          },
        });
      }
      await accept(await signInSomebody(stack), token);
    });

    describe('invitation tokens that cannot be used', () => {
      test.each<[string, (token: string) => string]>([
        ['is malformed', () => 'nonsense'],
        ['is empty', () => ''],
        ['names no tenant', (token) => `esi_${'a'.repeat(26)}${token.slice(30)}`],
        ['names no invitation', (token) => `${token.slice(0, 31)}${'a'.repeat(26)}${token.slice(57)}`],
        ['has a wrong secret', (token) => token.slice(0, -43) + 'A'.repeat(43)],
      ])('an invitation token that %s is refused with 404 for both accept and preview', async (_, change) => {
        const tenant = await makeTenant(stack);
        const { token } = await inviteTo(tenant, 'admin');
        const session = await signInSomebody(stack);
        expect(await tryToken(session, change(token))).toMatchObject(NOT_FOUND);
        expect(await tryToken(session, change(token), 'preview')).toMatchObject(NOT_FOUND);
      });

      test('an invitation that somebody has accepted is refused with 404 for both accept and preview', async () => {
        const tenant = await makeTenant(stack);
        const { token } = await inviteTo(tenant, 'admin');
        await accept(await signInSomebody(stack), token);
        const session = await signInSomebody(stack);
        expect(await tryToken(session, token)).toMatchObject(NOT_FOUND);
        expect(await tryToken(session, token, 'preview')).toMatchObject(NOT_FOUND);
      });

      test('accepting an invitation to a tenant whose only member has moved away gets 404', async () => {
        const tenant = await makeTenant(stack);
        const leaving = await signInSomebody(stack);
        await meOf(leaving);
        const { token } = await inviteTo({ console: leaving }, 'admin');
        await accept(leaving, (await inviteTo(tenant, 'admin')).token);
        expect(await tryToken(await signInSomebody(stack), token)).toMatchObject(NOT_FOUND);
      });
    });

    describe('accepting an invitation', () => {
      test('a person without a tenant becomes a member, and the answer equals that of GET /v1/me', async () => {
        const tenant = await makeTenant(stack);
        const session = await signInSomebody(stack);
        const answer = await tryToken(session, (await inviteTo(tenant, 'auditor')).token);
        expect(answer).toMatchObject({ status: 200, body: { role: 'auditor', tenant: { id: tenant.id } } });
        expect(answer.body).toEqual(await meOf(session));
      });

      test('a person with an empty tenant moves to the new tenant and keeps their user id', async () => {
        const tenant = await makeTenant(stack);
        const session = await signInSomebody(stack);
        const before = await meOf(session);
        const ann = await accept(session, (await inviteTo(tenant, 'auditor')).token);
        expect(ann.id).toBe(before.user.id);
        expect((await meOf(session)).tenant.id).toBe(tenant.id);
      });

      test('while a person moves to another tenant, their requests succeed or are refused with no_tenant', async () => {
        const tenant = await makeTenant(stack);
        const session = await signInSomebody(stack);
        await meOf(session);
        const { token } = await inviteTo(tenant, 'admin');
        const accepted = tryToken(session, token);
        const ask = (path: string) =>
          Promise.all(Array.from({ length: 4 }, async () => outcome(await session.send('GET', path))));
        const [me, ...others] = await Promise.all(['/v1/me', '/v1/members', '/v1/invitations'].map(ask));
        expect(me).toEqual(Array(4).fill('200'));
        expect(others.flat().filter((one) => !['200', '403 no_tenant'].includes(one))).toEqual([]);
        expect((await accepted).status).toBe(200);
      });

      test('the audit log of a tenant is still sealed after its only member has moved to another tenant', async () => {
        const tenant = await makeTenant(stack);
        const session = await signInSomebody(stack);
        const { tenant: own } = await meOf(session);
        await session.send('PATCH', '/v1/tenant', { name: 'soon left' });
        await accept(session, (await inviteTo(tenant, 'admin')).token);
        expect(await openSealing(stack).seal(own.id)).toMatchObject({ entries: 1, failed: false });
      });

      test.each<[string, (session: Client) => Promise<unknown>]>([
        ['has a live API key', (session) => session.send('POST', '/v1/api-keys', { name: 'one' })],
        ['has a key', (session) => session.send('POST', '/v1/keys', { name: 'one', tier: 'free' })],
        [
          'once had a key',
          async (session) => {
            const made = await session.send('POST', '/v1/keys', { name: 'one', tier: 'free' });
            const path = `/v1/keys/${Object(made.body).id}`;
            await session.send('DELETE', path);
            expect(await session.send('POST', `${path}/destroy`)).toMatchObject({ status: 204 });
          },
        ],
        ['has started a checkout', (session) => session.send('POST', '/v1/billing/checkout')],
        [
          'has another member',
          async (session) => accept(await signInSomebody(stack), (await inviteTo({ console: session }, 'admin')).token),
        ],
      ])(
        'a person whose own tenant %s cannot accept an invitation, and the invitation stays usable',
        async (_, fill) => {
          const tenant = await makeTenant(stack);
          const session = await signInSomebody(stack);
          await meOf(session);
          await fill(session);
          const { token } = await inviteTo(tenant, 'admin');
          expect(await tryToken(session, token)).toMatchObject(ALREADY_MEMBER);
          await accept(await signInSomebody(stack), token);
        },
      );

      test('a person whose own tenant has only a revoked API key can move to another tenant', async () => {
        const tenant = await makeTenant(stack);
        const session = await signInSomebody(stack);
        await meOf(session);
        const made = await session.send('POST', '/v1/api-keys', { name: 'one' });
        await session.send('DELETE', `/v1/api-keys/${Object(made.body).id}`);
        await accept(session, (await inviteTo(tenant, 'admin')).token);
      });
    });
  },
);
