import { beforeAll, expect, inject, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { outcome, text } from '../../support/client.ts';
import { setCount } from '../../support/counts.ts';
import { apiKeyObject, newApiKeyObject, read } from '../../support/objects.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const issuer = workloadIssuerOf(portsOf(stack));
const CI = { issuer, claims: { sub: 'ci', ref: 'refs/heads/main', count: 3, main: true } };
const DEPLOY = { issuer, claims: { repository_id: '1' } };
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

const create = (body: object) => tenant.console.send('POST', '/v1/api-keys', { name: 'ci', ...body });
const recorded = async () => (await tenant.console.send('GET', '/v1/audit?limit=1')).body;

async function made(body: object) {
  const apiKey = read(newApiKeyObject, await create(body));
  const change = (body: unknown) => tenant.console.send('PATCH', `/v1/api-keys/${apiKey.id}`, body);
  return { ...apiKey, change };
}

test('the federations of an API key are shown as they were given', async () => {
  const { id, federations } = await made({ federations: [CI, DEPLOY] });
  expect(federations).toEqual([CI, DEPLOY]);
  const path = `/v1/api-keys/${id}`;
  expect(read(apiKeyObject, await tenant.console.send('GET', path)).federations).toEqual([CI, DEPLOY]);
});

test('PATCH replaces the federations, and an empty list removes them', async () => {
  const { change } = await made({ federations: [CI] });
  expect(read(apiKeyObject, await change({ federations: [DEPLOY] })).federations).toEqual([DEPLOY]);
  expect(read(apiKeyObject, await change({ name: 'renamed' })).federations).toEqual([DEPLOY]);
  expect(read(apiKeyObject, await change({ federations: [] })).federations).toEqual([]);
});

test('the same federations in another order change nothing and are not recorded', async () => {
  const { change } = await made({ federations: [CI, DEPLOY] });
  const before = await recorded();
  const { claims } = CI;
  const turned = { issuer, claims: Object.fromEntries(Object.entries(claims).reverse()) };
  expect(read(apiKeyObject, await change({ federations: [DEPLOY, turned] })).federations).toEqual([CI, DEPLOY]);
  expect(await recorded()).toEqual(before);
});

test('null as federations means none in a creation, and is refused in a change', async () => {
  const { federations, change } = await made({ federations: null });
  expect(federations).toEqual([]);
  expect(outcome(await change({ federations: null }))).toBe('400 invalid_federations');
});

const claims = (claims: unknown) => [{ issuer, claims }];
const long = (length: number) => 'é'.repeat(length);
const eleven = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`c${n}`, 1]));

test.each<[string, unknown, string]>([
  ['the longest names and values', claims({ sub: long(1_024), [long(128)]: '😀'.repeat(1_024) }), '2'],
  ['the largest integers', claims({ sub: '', x: Number.MAX_SAFE_INTEGER }).slice(1), '2'],
  ['a claim with the name __proto__', JSON.parse(`[{"issuer":"${issuer}","claims":{"sub":"a","__proto__":"b"}}]`), '2'],
  ['a claim with a name of underscores', claims({ sub: 'a', __name__: 'b' }), '2'],
  [
    'claims that differ only in type',
    [
      { issuer, claims: { sub: 1 } },
      { issuer, claims: { sub: '1' } },
    ],
    '2',
  ],
  ['six federations', Array.from({ length: 6 }, (_, n) => ({ issuer, claims: { sub: `${n}` } })), '4'],
  ['an issuer that the deployment lacks', [{ issuer: 'https://a.example', claims: { sub: 'a' } }], '4'],
  ['an issuer with a slash at the end', [{ issuer: `${issuer}/`, claims: { sub: 'a' } }], '4'],
  ['no issuer', [{ claims: { sub: 'a' } }], '4'],
  ['another member', [{ issuer, claims: { sub: 'a' }, audience: 'a' }], '4'],
  ['no claims', [{ issuer }], '4'],
  ['empty claims', claims({}), '4'],
  ['claims in a list', claims([['sub', 'a']]), '4'],
  ['claims that are null', claims(null), '4'],
  ['eleven claims', claims({ sub: 'a', ...eleven }), '4'],
  ['none of the required claims', claims({ ref: 'refs/heads/main' }), '4'],
  ['a claim with an empty name', claims({ sub: 'a', '': 'b' }), '4'],
  ['a claim with a name of 129 characters', claims({ sub: 'a', [long(129)]: 'b' }), '4'],
  ['an empty value', claims({ sub: '' }), '4'],
  ['a value of 1,025 characters', claims({ sub: long(1_025) }), '4'],
  ['a fraction', claims({ sub: 'a', x: 1.5 }), '4'],
  ['an integer that is not safe', claims({ sub: 'a', x: 2 ** 53 }), '4'],
  ['a value that is null', claims({ sub: null }), '4'],
  ['a value in a list', claims({ sub: ['a'] }), '4'],
  ['malformed Unicode', claims({ sub: '\ud800' }), '4'],
  ['malformed Unicode in a name', claims({ sub: 'a', '\udc00': 'b' }), '4'],
  ['the claim iss', claims({ sub: 'a', iss: 'b' }), '4'],
  ['the claim aud', claims({ sub: 'a', aud: 'b' }), '4'],
  ['the claim exp', claims({ sub: 'a', exp: 1 }), '4'],
  ['the claim nbf', claims({ sub: 'a', nbf: 1 }), '4'],
  ['the claim iat', claims({ sub: 'a', iat: 1 }), '4'],
  ['the claim jti', claims({ sub: 'a', jti: 'b' }), '4'],
  ['a federation twice', [CI, CI], '4'],
  ['a federation that is null', [null], '4'],
  ['a federation that is text', ['a'], '4'],
])('federations with %s are accepted (2) or refused (4)', async (_name, federations, expected) => {
  const answer = await create({ federations });
  expect(outcome(answer)).toBe(expected === '2' ? '201' : '400 invalid_federations');
  if (expected === '2') expect(answer.body).toMatchObject({ federations });
});

const raw = (federations: string, more = '') =>
  tenant.console.send('POST', '/v1/api-keys', undefined, {
    raw: `{"name":"ci"${more},"federations":${federations}}`,
    headers: { 'content-type': 'application/json' },
  });

test('a federation in which a name occurs twice is refused, also if one is escaped', async () => {
  const one = `"issuer":"${issuer}"`;
  for (const federation of [
    `{${one},"claims":{"sub":"a","sub":"b"}}`,
    `{${one},"claims":{"sub":"a","\\u0073ub":"a"}}`,
    `{${one},${one},"claims":{"sub":"a"}}`,
    `{${one},"claims":{"sub":"a"},"claims":{"sub":"a"}}`,
  ]) {
    expect(outcome(await raw(`[${federation}]`))).toBe('400 invalid_federations');
  }
});

test('names may occur in each of several federations, and twice outside of them', async () => {
  const federations = `[${JSON.stringify(CI)},${JSON.stringify(DEPLOY)}]`;
  expect(outcome(await raw(federations, ',"firewall_id":null,"firewall_id":null'))).toBe('201');
});

test('an API key without a token has neither token nor prefix', async () => {
  const created = await create({ without_token: true });
  expect(read(newApiKeyObject, created)).toMatchObject({ token: null, prefix: null, has_token: false });
  const shown = await tenant.console.send('GET', `/v1/api-keys/${text(created, 'id')}`);
  expect(read(apiKeyObject, shown)).toMatchObject({ prefix: null, has_token: false });
});

test.each([false, null, undefined])('without_token: %s makes a token', async (without_token) => {
  expect((await made({ without_token })).has_token).toBe(true);
});

test('without_token cannot be changed', async () => {
  expect(outcome(await (await made({})).change({ without_token: true }))).toBe('400 invalid_request');
});

test('the federations of a tenant are limited to 16 MiB, and a revocation frees their space', async () => {
  const other = await makeTenant(stack);
  const send = (method: string, path: string, body?: unknown) =>
    other.console.send(method, `/v1/api-keys${path}`, body);
  const { id } = read(newApiKeyObject, await send('POST', '', { name: 'ci', federations: [CI] }));
  await setCount(stack, other.id, 'federation_bytes', 16 * 1024 * 1024);
  expect(outcome(await send('POST', '', { name: 'ci', federations: [CI] }))).toBe('409 limit_reached');
  expect(outcome(await send('POST', '', { name: 'ci' }))).toBe('201');
  expect(outcome(await send('PATCH', `/${id}`, { federations: [CI, DEPLOY] }))).toBe('409 limit_reached');
  expect(outcome(await send('PATCH', `/${id}`, { federations: [DEPLOY] }))).toBe('200');
  expect(outcome(await send('PATCH', `/${id}`, { federations: [CI] }))).toBe('200');
  expect(outcome(await send('DELETE', `/${id}`))).toBe('204');
  expect(outcome(await send('POST', '', { name: 'ci', federations: [CI] }))).toBe('201');
});
