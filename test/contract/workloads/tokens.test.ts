import { randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { patchDocument } from '../../support/firestore.ts';
import { type SecondService, signInSettings } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { assemble } from '../../support/tokens.ts';
import {
  ISSUER_KEYS,
  publicJwk,
  signedBy,
  startTestIssuer,
  startWithIssuers,
  type TestIssuer,
} from '../../support/workloads.ts';

const stack = inject('stack');
const CLAIMS = { sub: 'job', count: 3, main: true, '': 'x' };
const { '': _, ...MATCHED } = CLAIMS;
let tenant: Tenant;
let issuer: TestIssuer;
let service: SecondService;
let id: string;
let revoked: string;
let expired: string;
let unmatched: string;
/** More issuers, and an API key with federations of the first two. The other issuers have faults. */
let issuers: TestIssuer[];
let shared: string;

beforeAll(async () => {
  [tenant, issuer] = await Promise.all([makeTenant(stack), startTestIssuer()]);
  issuers = await Promise.all(Array.from({ length: FAULTS.length + 2 }, startTestIssuer));
  const settings = [
    { issuer: issuer.issuer, claims: ['sub', 'count'], max_lifetime: 3_600 },
    ...['https://unused.example', ...issuers.map((one) => one.issuer)].map((one) => ({ issuer: one, claims: ['sub'] })),
  ];
  service = await startWithIssuers(stack, settings, signInSettings(stack));
  const make = async (claims: object, of = [issuer]) => {
    const federations = of.map((one) => ({ issuer: one.issuer, claims }));
    const body = { name: 'ci', allowed_actions: ['encrypt'], federations };
    return text(await new Client(service, tenant.console.token).send('POST', '/v1/api-keys', body), 'id');
  };
  [id, revoked, expired, unmatched, shared] = await Promise.all([
    make(MATCHED),
    make(MATCHED),
    make(MATCHED),
    make({ ...MATCHED, sub: 'other' }),
    make({ sub: 'job' }, issuers.slice(0, 2)),
  ]);
  await tenant.console.send('DELETE', `/v1/api-keys/${revoked}`);
  await patchDocument(stack, `apiKeys/${expired}`, 'expires_at', { timestampValue: '2020-01-01T00:00:00Z' });
});
afterAll(async () => {
  await service.stop();
  for (const one of [issuer, ...issuers]) one.stop();
});

const nowS = () => Math.floor(Date.now() / 1000);

function claims(more: object = {}): Record<string, unknown> {
  const now = nowS();
  return { iss: issuer.issuer, aud: `urn:uuid:${id}`, iat: now, exp: now + 600, ...CLAIMS, ...more };
}

const call = (token: string) => new Client(service, token).send('GET', '/v1/caller');

test.each([
  ['ES256', () => signedBy('es', 'ES256', claims())],
  ['RS256', () => signedBy('rsa', 'RS256', claims())],
  ['PS256', () => signedBy('rsa', 'PS256', claims())],
  ['EdDSA', () => signedBy('ed', 'EdDSA', claims())],
  ['Ed25519', () => signedBy('ed', 'Ed25519', claims())],
  ['an audience in a list', () => signedBy('es', 'ES256', claims({ aud: [`urn:uuid:${id}`] }))],
  ['more claims than the federation', () => signedBy('es', 'ES256', claims({ more: { deep: [1] } }))],
  ['times up to a minute ahead', () => signedBy('es', 'ES256', claims({ iat: nowS() + 50, nbf: nowS() + 50 }))],
  ['8 KiB', () => padded(8_192)],
  ['the longest life', () => signedBy('es', 'ES256', claims({ exp: nowS() + 3_600 }))],
  ['no typ, and a jku, x5u and jwk', () => signedBy('es', 'ES256', claims(), { jku: 'http://a', x5u: 'a', jwk: {} })],
])('an ID token with %s is accepted', async (_name, token) => {
  expect(await call(token())).toMatchObject({
    status: 200,
    body: { kind: 'api_key', id, workload: { issuer: issuer.issuer, subject: 'job' } },
  });
});

const es = (payload: unknown, header: object = {}) => signedBy('es', 'ES256', payload, header);
const json = (more: object = {}) => JSON.stringify(claims(more));
const HEADER = '{"alg":"ES256","kid":"es"}';

/** Returns a token of at most this many bytes, and at most three fewer. */
function padded(most: number): string {
  for (let count = (most * 3) / 4; ; count--) {
    const token = es(claims({ padding: 'x'.repeat(count) }));
    if (token.length <= most) return token;
  }
}
const without = (name: string) => ({ [name]: undefined });

test.each<[string, () => string]>([
  ['an unknown key', () => es(claims(), { kid: 'nobody' })],
  ['no kid', () => es(claims(), without('kid'))],
  ['an empty kid', () => es(claims(), { kid: '' })],
  ['a kid that is a number', () => es(claims(), { kid: 1 })],
  ['another key than its kid', () => signedBy('p384', 'ES256', claims(), { kid: 'es' })],
  ['an RSA key of 1,024 bits', () => signedBy('short', 'RS256', claims())],
  ['a curve other than P-256', () => es(claims(), { kid: 'p384' })],
  ['the algorithm none', () => assemble({ alg: 'none', kid: 'es' }, claims(), () => Buffer.alloc(0))],
  ['the algorithm HS256', () => assemble({ alg: 'HS256', kid: 'es' }, claims(), () => Buffer.alloc(32))],
  ['the algorithm ES384', () => es(claims(), { alg: 'ES384' })],
  // The keys of this issuer cannot be read.
  ['the algorithm ES384 of another issuer', () => es(claims({ iss: 'https://unused.example' }), { alg: 'ES384' })],
  ['no audience of another issuer', () => es(claims({ iss: 'https://unused.example', ...without('aud') }))],
  ['the algorithm RS256 for a key on a curve', () => es(claims(), { alg: 'RS256' })],
  ['no algorithm', () => es(claims(), without('alg'))],
  ['crit', () => es(claims(), { crit: ['exp'], exp: 1 })],
  ['an empty crit', () => es(claims(), { crit: [] })],
  [
    'a signature of other claims',
    () => [...es(claims()).split('.').slice(0, 2), es(json({ more: 1 })).split('.')[2]].join('.'),
  ],
  ['no signature', () => `${es(claims()).split('.').slice(0, 2).join('.')}.`],
  ['four parts', () => `${es(claims())}.a`],
  ['more than 8 KiB', () => padded(8_200)],
  ['no exp', () => es(claims(without('exp')))],
  ['no iat', () => es(claims(without('iat')))],
  ['an exp that is text', () => es(claims({ exp: String(nowS() + 600) }))],
  ['an nbf that is null', () => es(claims({ nbf: null }))],
  ['an exp in the past', () => es(claims({ iat: nowS() - 600, exp: nowS() - 1 }))],
  ['a life longer than the issuer may give', () => es(claims({ exp: nowS() + 3_602 }))],
  ['an endless life', () => es(json().replace(/"exp":\d+/, '"exp":1e999'))],
  ['an iat far ahead', () => es(claims({ iat: nowS() + 120 }))],
  ['an nbf far ahead', () => es(claims({ nbf: nowS() + 120 }))],
  ['another issuer', () => es(claims({ iss: 'https://unused.example/' }))],
  ['an issuer in a list', () => es(claims({ iss: [issuer.issuer] }))],
  ['no audience', () => es(claims(without('aud')))],
  ['the audience of the console', () => es(claims({ aud: 'encryption-service' }))],
  ['two audiences', () => es(claims({ aud: [`urn:uuid:${id}`, `urn:uuid:${id}`] }))],
  ['an audience in upper case', () => es(claims({ aud: `urn:uuid:${id.toUpperCase()}` }))],
  ['an audience without urn:uuid:', () => es(claims({ aud: id }))],
  ['an API key that does not exist', () => es(claims({ aud: `urn:uuid:${randomUUID()}` }))],
  ['a revoked API key', () => es(claims({ aud: `urn:uuid:${revoked}` }))],
  ['an expired API key', () => es(claims({ aud: `urn:uuid:${expired}` }))],
  ['an API key whose federation does not match', () => es(claims({ aud: `urn:uuid:${unmatched}` }))],
  ['an API key without federations', () => es(claims({ aud: `urn:uuid:${tenant.apiKeyId}` }))],
  ['a claim missing', () => es(claims(without('main')))],
  ['a claim of another type', () => es(claims({ count: '3' }))],
  ['a claim in a list', () => es(claims({ sub: ['job'] }))],
  ['a claim in an object', () => es(claims({ sub: { job: 'job' } }))],
  ['a claim in another case', () => es(claims({ sub: 'Job' }))],
  ['a claim with a wildcard', () => es(claims({ sub: '*' }))],
  ['a claim in another Unicode form', () => es(claims({ sub: 'job\u0301' }))],
  ['a member twice', () => es(json().replace('{', '{"sub":"other",'))],
  ['a member twice, once escaped', () => es(json().replace('{', '{"\\u0073ub":"other",'))],
  ['a member twice, deep inside', () => es(json().replace('{', '{"x":[{"a":1,"b":{},"a":1}],'))],
  ['malformed Unicode', () => es(json().replace('{', '{"x":"\\ud800",'))],
  ['malformed Unicode in a name', () => es(json().replace('{', '{"\\udfff":1,'))],
  ['bytes that are not UTF-8', () => signedParts(HEADER, Buffer.from(json().replace('{', '{"x":"\xff",'), 'latin1'))],
  ['a payload that is a list', () => es([claims()])],
  ['a header with a member twice', () => signedParts(HEADER.replace('{', '{"alg":"ES256",'), json())],
])('an ID token with %s is refused with 401, and always in the same words', async (_name, token) => {
  const answer = await call(token());
  expect(outcome(answer)).toBe('401 unauthorized');
  expect(text(answer, 'message')).toBe('missing or invalid credentials');
});

/** Signs a header and a payload that JSON cannot have. */
function signedParts(header: string, payload: string | Buffer): string {
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(payload).toString('base64url')}`;
  const key = { key: ISSUER_KEYS.es.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

test('a key that names its algorithm accepts no other, and EdDSA is the same as Ed25519', async () => {
  const before = issuer.keys;
  issuer.keys = [
    publicJwk('rsa', { alg: 'PS256' }),
    publicJwk('ed', { alg: 'Ed25519' }),
    publicJwk('es', { use: 'enc' }),
  ];
  const fresh = await startWithIssuers(stack, [{ issuer: issuer.issuer, claims: ['sub'] }]);
  try {
    const at = async (token: string) => outcome(await new Client(fresh, token).send('GET', '/v1/caller'));
    expect(await at(signedBy('rsa', 'PS256', claims()))).toBe('200');
    expect(await at(signedBy('rsa', 'RS256', claims()))).toBe('401 unauthorized');
    expect(await at(signedBy('ed', 'EdDSA', claims()))).toBe('200');
    expect(await at(signedBy('es', 'ES256', claims()))).toBe('401 unauthorized');
  } finally {
    await fresh.stop();
    issuer.keys = before;
  }
});

const DISCOVERY = '/.well-known/openid-configuration';

/** Redirects a path to `/moved`, where a client that follows it finds what it needs. */
const redirecting = (from: string, moved: () => object | undefined) => (path: string) => {
  if (path === '/moved') return moved();
  return path === from ? { status: 302, headers: { location: '/moved' }, body: '' } : undefined;
};

type Fault = (issuer: TestIssuer) => object;
const at = (name: string, jwks_uri: string, more = {}) => ({ discovery: { issuer: name, jwks_uri, ...more } });
const answering = (status: number, body: string) => ({ answer: () => ({ status, body }) });
const PADDING = 'x'.repeat(256 * 1024);
const FAULTS: readonly (readonly [string, Fault])[] = [
  ['names another issuer', ({ issuer }) => at('a', `${issuer}/jwks`)],
  ['adds a slash to its name', ({ issuer }) => at(`${issuer}/`, `${issuer}/jwks`)],
  ['has no jwks_uri', ({ issuer }) => ({ discovery: { issuer } })],
  ['has keys at plain http elsewhere', ({ issuer }) => at(issuer, 'http://192.0.2.1/jwks')],
  ['answers 500', () => answering(500, '{}')],
  ['answers no JSON', () => answering(200, 'keys')],
  ['redirects to its discovery document', () => ({ answer: redirecting(DISCOVERY, () => undefined) })],
  [
    'redirects to its keys',
    ({ keys }) => ({ answer: redirecting('/jwks', () => ({ status: 200, body: JSON.stringify({ keys }) })) }),
  ],
  ['has a large discovery document', ({ issuer }) => at(issuer, `${issuer}/jwks`, { padding: PADDING })],
  ['has more than 256 KiB of keys', () => ({ keys: [publicJwk('es'), { padding: PADDING }] })],
];

const issuerAt = (place: number) => issuers[place] ?? expect.unreachable();

const callOf = async ({ issuer }: TestIssuer, header: object = {}) => {
  const iat = nowS();
  const own = { iss: issuer, aud: `urn:uuid:${shared}`, sub: 'job', iat, exp: iat + 600 };
  return outcome(await new Client(service, signedBy('es', 'ES256', own, header)).send('GET', '/v1/caller'));
};

test('the first requests of an issuer share one read of its keys, and unknown keys cause no further one', async () => {
  const issuer = issuerAt(0);
  const together = Array.from({ length: 50 }, (_, n) => callOf(issuer, n % 2 === 0 ? {} : { kid: `unknown ${n}` }));
  expect(new Set(await Promise.all(together))).toEqual(new Set(['200', '401 unauthorized']));
  expect(await callOf(issuer, { kid: 'unknown' })).toBe('401 unauthorized');
  expect(issuer.reads()).toBe(1);
});

test('an issuer that does not answer holds at most 100 requests, and delays no other issuer', async () => {
  const [issuer, slow] = [issuerAt(0), issuerAt(1)];
  slow.answer = () => 'nothing';
  const held = Array.from({ length: 130 }, () => callOf(slow));
  expect(await callOf(issuer)).toBe('200');
  expect(new Set(await Promise.all(held))).toEqual(new Set(['503 unavailable']));
  slow.answer = undefined;
  expect(await callOf(slow)).toBe('200');
});

test.each(FAULTS.map(([name, fault], place) => [name, fault, place + 2] as const))(
  'while an issuer %s, its tokens get 503, and soon after they are accepted or refused',
  async (_, fault, place) => {
    const issuer = issuerAt(place);
    const { keys } = issuer;
    Object.assign(issuer, fault(issuer));
    expect(await callOf(issuer)).toBe('503 unavailable');
    Object.assign(issuer, { discovery: undefined, answer: undefined, keys });
    // No federation has this issuer, so its keys decide between 503 and 401 only.
    expect(await callOf(issuer)).toBe('401 unauthorized');
  },
);
