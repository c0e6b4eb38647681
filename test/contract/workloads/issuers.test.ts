import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { type SecondService, signInSettings } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';
import { publicJwk, signedBy, startTestIssuer, startWithIssuers, type TestIssuer } from '../../support/workloads.ts';

const stack = inject('stack');
const DISCOVERY = '/.well-known/openid-configuration';

/** Redirects a path to `/moved`, where a client that follows it finds what it needs. */
const redirecting = (from: string, moved: () => object | undefined) => (path: string) => {
  if (path === '/moved') return moved();
  return path === from ? { status: 302, headers: { location: '/moved' }, body: '' } : undefined;
};

/** The settings of an issuer with a fault. */
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

let issuers: TestIssuer[];
let service: SecondService;
let id: string;

beforeAll(async () => {
  issuers = await Promise.all(Array.from({ length: FAULTS.length + 2 }, startTestIssuer));
  const settings = issuers.map(({ issuer }) => ({ issuer, claims: ['sub'] }));
  service = await startWithIssuers(stack, settings, signInSettings(stack));
  const { console } = await makeTenant(stack);
  const federations = issuers.slice(0, 2).map(({ issuer }) => ({ issuer, claims: { sub: 'job' } }));
  id = text(await new Client(service, console.token).send('POST', '/v1/api-keys', { name: 'ci', federations }), 'id');
});
afterAll(async () => {
  await service.stop();
  for (const issuer of issuers) issuer.stop();
});

function issuerAt(place: number): TestIssuer {
  const issuer = issuers[place];
  if (issuer === undefined) throw new Error('there is no such issuer');
  return issuer;
}

const call = async ({ issuer }: TestIssuer, header: object = {}) => {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: `urn:uuid:${id}`, sub: 'job', iat, exp: iat + 600 };
  return outcome(await new Client(service, signedBy('es', 'ES256', claims, header)).send('GET', '/v1/caller'));
};

test('the first requests of an issuer share one read of its keys, and unknown keys cause no further one', async () => {
  const issuer = issuerAt(0);
  const together = Array.from({ length: 50 }, (_, n) => call(issuer, n % 2 === 0 ? {} : { kid: `unknown ${n}` }));
  expect(new Set(await Promise.all(together))).toEqual(new Set(['200', '401 unauthorized']));
  expect(await call(issuer, { kid: 'unknown' })).toBe('401 unauthorized');
  expect(issuer.reads()).toBe(1);
});

test('an issuer that does not answer holds at most 100 requests, and delays no other issuer', async () => {
  const [issuer, slow] = [issuerAt(0), issuerAt(1)];
  slow.answer = () => 'nothing';
  const held = Array.from({ length: 130 }, () => call(slow));
  expect(await call(issuer)).toBe('200');
  expect(new Set(await Promise.all(held))).toEqual(new Set(['503 unavailable']));
  slow.answer = undefined;
  expect(await call(slow)).toBe('200');
});

test.each(FAULTS.map(([name, fault], place) => [name, fault, place + 2] as const))(
  'while an issuer %s, its tokens get 503, and soon after they are accepted or refused',
  async (_, fault, place) => {
    const issuer = issuerAt(place);
    const { keys } = issuer;
    Object.assign(issuer, fault(issuer));
    expect(await call(issuer)).toBe('503 unavailable');
    Object.assign(issuer, { discovery: undefined, answer: undefined, keys });
    // No federation has this issuer, so its keys decide between 503 and 401 only.
    expect(await call(issuer)).toBe('401 unauthorized');
  },
);
