import { describe, expect, test } from 'vitest';
import { tokenFault } from '../src/doctor/access-token.ts';
import { diagnose } from '../src/doctor/diagnose.ts';
import type { DiagnosisOptions } from '../src/doctor/examination.ts';
import type { CheckName } from '../src/doctor/finding.ts';
import { eskHere, expectFailure } from './support/esk.ts';
import { API_KEY, KEY_JSON } from './support/objects.ts';
import { answer, lose, page, refuse, type Step, scriptedServer } from './support/scripted-server.ts';

const server = scriptedServer();
const ADDRESS = '203.0.113.7';
const ID = KEY_JSON.id;
const CALLER = {
  ...{ kind: 'api_key', id: ID, name: 'ci', role: null, container_id: KEY_JSON.container_id, address: ADDRESS },
  ...{ allowed_actions: ['encrypt', 'decrypt'], key_ids: null, firewall_id: null },
};
const PERSON = { ...CALLER, kind: 'session', name: 'Ada', role: 'owner', container_id: null, allowed_actions: null };
const LINE = { key_id: ID, container_id: KEY_JSON.container_id, overage_ops: 0, cap: 10_000, allowance: 10_000 };

const SIGN_IN = {
  ...{ issuer: 'https://id.example.com', client_id: 'esk', audience: 'https://api.example.com' },
  ...{ scope: 'openid', workload_issuers: [] },
};

type Answers = Readonly<Record<string, Step>>;
const HEALTHY: Answers = {
  '/health': answer(200, { status: 'ok' }),
  '/health/ready': answer(200, { status: 'ok', checks: { firestore: 'ok', kms: 'ok', policy: 'ok' } }),
  '/v1/caller': answer(200, CALLER),
  '/v1/keys': answer(200, [KEY_JSON]),
  '/v1/usage': answer(200, [{ ...LINE, ops: 7_999 }]),
  '/v1/billing': answer(200, { standing: 'good', subscription: { status: 'active' } }),
};

/** Makes the server answer like a working service, except for the answers in `changes`. */
function serve(changes: Answers): void {
  const answers = { ...HEALTHY, ...changes };
  server.play((response, request) => answers[request.call.replace('GET ', '')]?.(response, request));
}

type Options = (more?: object) => DiagnosisOptions;
const withKey: Options = (more) => ({
  url: server.url,
  apiKey: API_KEY,
  source: 'the API key in ESK_API_KEY',
  ...more,
});
const signedIn: Options = (more) => ({ url: server.url, accessToken: () => 'token', source: 'the sign-in', ...more });

function failing(code: string): typeof fetch {
  return () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('failed'), { code }) }));
}
const broken = (code: string) => () => withKey({ fetch: failing(code) });
const overTls = (code: string) => () => withKey({ url: 'https://api.example', fetch: failing(code) });
const called = (body: object): Answers => ({ '/v1/caller': answer(200, { ...CALLER, ...body }) });
const person = (more: Answers = {}): Answers => ({ '/v1/caller': answer(200, PERSON), ...more });
const clock = (seconds: number): Answers => {
  // The header is set when the server answers, because a case may wait for others.
  const now = () => new Date(Date.now() + seconds * 1000).toUTCString();
  return { '/health': (...to) => answer(200, { status: 'ok' }, { date: now() })(...to) };
};
const allowance = (tier: string, ops: number): Answers => ({
  '/v1/keys': answer(200, [{ ...KEY_JSON, tier }]),
  '/v1/usage': answer(200, [{ ...LINE, ops }]),
});
const billing = (standing: string, status?: string): Answers =>
  person({ '/v1/billing': answer(200, { standing, subscription: status === undefined ? null : { status } }) });
const anonymous = () => ({ url: server.url, source: 'Run esk login.' });
const refused = (status: number, code: string, more = {}) => ({ '/v1/caller': refuse(status, code, more) });
const WITHOUT_DATE: Answers = {
  '/health': (response, request) => HEALTHY['/health']?.(Object.assign(response, { sendDate: false }), request),
};
const LIST_OF_KEYS = called({ key_ids: [ID] });
const DOWN = { status: 'unavailable', checks: { firestore: 'ok', kms: 'unavailable', policy: 'unavailable' } };
const PARTS_DOWN: Answers = { '/health/ready': answer(503, DOWN) };
const EXPIRED = () => signedIn({ accessToken: () => Promise.reject(new Error('your session has expired')) });
const firewalled = refused(403, 'ip_not_allowed', { message: `the firewall does not allow ${ADDRESS}` });
const FREE: Answers = { '/v1/keys': answer(200, [{ ...KEY_JSON, tier: 'free' }]) };
const NO_KEYS: Answers = { '/v1/keys': answer(200, []) };
const NO_BILLING = (status: number, code: string) => person({ '/v1/billing': refuse(status, code) });
const REFUSED_SIGN_IN: Answers = { ...refused(401, 'unauthorized'), '/v1/sign-in': answer(200, SIGN_IN) };
const at = (url: string) => () => withKey({ url });

/**
 * For each check: a situation, the answers that differ from a working service's, the options, what the check finds, and
 * what other checks find.
 */
type Found = readonly [state: 'ok' | 'warn' | 'fail' | 'skipped', found: RegExp];
type Situation = readonly [what: string, Answers, Options, ...Found];
const CASES: Readonly<Record<CheckName, readonly Situation[]>> = {
  address: [
    ['an expired certificate', {}, overTls('CERT_HAS_EXPIRED'), 'ok', /listens/],
    ['no server', {}, at('http://127.0.0.1:1'), 'fail', /^Nothing answers at http/],
    ['an unknown host', {}, broken('ENOTFOUND'), 'fail', /cannot be resolved \(ENOTFOUND\)/],
    ['a refused connection', {}, broken('ECONNREFUSED'), 'fail', /^Nothing answers .+ \(ECONNREFUSED\)/],
    ['a time-out', {}, broken('UND_ERR_CONNECT_TIMEOUT'), 'fail', /^Nothing answers/],
    ['a reset', {}, broken('ECONNRESET'), 'fail', /closed without an answer \(ECONNRESET\)/],
    ['an address that is refused', {}, at('http://192.0.2.1'), 'fail', /must start with https/],
    ['an HTML page', { '/health': page(200) }, withKey, 'fail', /does not answer as this service does/],
    ['a missing page', { '/health': page(404) }, withKey, 'fail', /does not answer as this service does/],
    ['other JSON', { '/health': answer(200, []) }, withKey, 'fail', /does not answer as this service does/],
    ['a closed connection', { '/health': lose }, withKey, 'fail', /closed without an answer/],
    ['a proxy without an answer', { '/health': page(502) }, withKey, 'fail', /^A proxy at .+ with status 502/],
  ],
  tls: [
    ['an expired certificate', {}, overTls('CERT_HAS_EXPIRED'), 'fail', /has expired/],
    ['a certificate of tomorrow', {}, overTls('CERT_NOT_YET_VALID'), 'fail', /not valid yet/],
    ['a self-signed certificate', {}, overTls('DEPTH_ZERO_SELF_SIGNED_CERT'), 'fail', /self-signed/],
    ['an unknown issuer', {}, overTls('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'fail', /does not know the issuer/],
    ['a certificate of another host', {}, overTls('ERR_TLS_CERT_ALTNAME_INVALID'), 'fail', /another host name/],
    ['a failed handshake', {}, overTls('ERR_SSL_TLSV1_ALERT'), 'fail', /handshake failed \(ERR_SSL_TLSV1_ALERT\)/],
    ['no TLS', {}, () => withKey({ url: server.url.replace('http:', 'https:') }), 'fail', /does not speak TLS/],
    ['http to another machine', {}, () => withKey({ allowHttp: true }), 'warn', /not encrypted/],
  ],
  clock: [
    ['a clock 29 seconds behind', clock(29), withKey, 'ok', /agree/],
    ['a clock 29 seconds ahead', clock(-29), withKey, 'ok', /agree/],
    ['a clock 45 seconds behind', clock(45), withKey, 'warn', /4\d seconds behind/],
    ['a clock 10 minutes ahead', clock(-600), withKey, 'warn', /10 minutes ahead of/],
    ['a clock 10 hours behind', clock(36_000), withKey, 'warn', /10 hours behind/],
    ['no Date header, as in a browser', WITHOUT_DATE, withKey, 'skipped', /not visible/],
  ],
  readiness: [
    ['no credential', {}, anonymous, 'ok', /All parts/],
    ['another server', { '/health/ready': answer(200, { status: 'ok' }) }, withKey, 'fail', /^The server at http/],
    ['parts that are down', PARTS_DOWN, withKey, 'fail', /^The KMS does .+ fail\. The policy decision point does/],
  ],
  credential: [
    ['an expired certificate', {}, overTls('CERT_HAS_EXPIRED'), 'skipped', /check of tls failed/],
    ['a firewall that refuses', firewalled, withKey, 'ok', /accepts/],
    ['a person without a tenant', refused(403, 'no_tenant'), signedIn, 'ok', /accepts/],
    ['no credential', {}, anonymous, 'fail', /no usable credential/],
    ['a wrong API key', refused(401, 'unauthorized'), withKey, 'fail', /does not accept the API key in ESK_API_KEY/],
    ['a refused sign-in', REFUSED_SIGN_IN, signedIn, 'fail', /not accept the sign-in.+not a JWT/],
    ['an expired session', {}, EXPIRED, 'fail', /has expired/],
    ['another error', refused(429, 'rate_limited'), withKey, 'fail', /rate_limited: .+ \(request [0-9a-f-]{36}\)/],
  ],
  firewall: [
    ['a firewall that refuses', firewalled, withKey, 'fail', /refuses your address: .+203\.0\.113\.7/],
    ['no firewall', {}, withKey, 'ok', /address as 203\.0\.113\.7\. The API key has no firewall/],
    ['a firewall that allows', called({ firewall_id: ID }), withKey, 'ok', /The firewall of the API key allows it/],
  ],
  rights: [
    ['no credential', {}, anonymous, 'skipped', /check of credential failed/],
    ['a firewall that refuses', firewalled, withKey, 'skipped', /check of firewall failed/],
    ['rights for a container', {}, withKey, 'ok', /"ci" may encrypt, decrypt with 1 key in container/],
    ['rights for a list of keys', LIST_OF_KEYS, withKey, 'ok', /with 1 key of its key list/],
    ['a list of lost keys', { ...LIST_OF_KEYS, ...NO_KEYS }, withKey, 'warn', /no key of its key list/],
    ['an empty container', NO_KEYS, withKey, 'warn', /no key in container/],
    ['no allowed actions', called({ allowed_actions: [] }), withKey, 'warn', /no allowed actions/],
    ['an auditor', called({ ...PERSON, role: 'auditor' }), signedIn, 'ok', /auditor: you may read everything/],
    ['a person without a tenant', refused(403, 'no_tenant'), signedIn, 'fail', /do not belong to a tenant/],
  ],
  billing: [
    ['a failed payment', billing('good', 'past_due'), signedIn, 'warn', /payment failed/],
    ['no subscription', { ...billing('none'), ...FREE }, signedIn, 'ok', /no subscription\. Free keys work/],
    ['an unpaid subscription', billing('none', 'unpaid'), signedIn, 'fail', /is unpaid\. Paid keys only decrypt/],
    ['no billing', NO_BILLING(404, 'not_found'), signedIn, 'skipped', /has no billing/],
    ['an error of the service', NO_BILLING(500, 'internal_error'), signedIn, 'fail', /could not report the/],
    ['an API key', {}, withKey, 'skipped', /^Only a signed-in .+: env -u ESK_API_KEY .+ esk doctor$/],
  ],
  allowance: [
    ['a free key below 80 %', allowance('free', 7_999), withKey, 'ok', /No key has used 80 %/],
    ['a free key at 80 %', allowance('free', 8_000), withKey, 'warn', /"orders" 8000 of 10000/],
    [
      'a free key at its cap',
      allowance('free', 10_000),
      withKey,
      'fail',
      /end of the month \(UTC\): "orders" 10000 of/,
    ],
    ['a paid key at its allowance', allowance('software', 10_000), withKey, 'warn', /"orders" 10000 of 10000/],
    ['another server', { '/v1/keys': answer(200, { status: 'ok' }) }, withKey, 'fail', /^The server at http/],
    ['a destroyed key', { ...allowance('free', 10_000), ...NO_KEYS }, withKey, 'ok', /No key/],
  ],
};

describe('diagnose', () => {
  test.each(Object.entries(CASES).flatMap(([check, some]) => some.map((one) => [check, ...one] as const)))(
    'the check of %s finds %s, and only warnings and failures have advice',
    async (check, _, answers, options, state, found) => {
      serve(answers);
      const findings = await diagnose(options());
      const finding = findings.find((one) => one.check === check);
      expect(finding).toMatchObject({ state, found: expect.stringMatching(found) });
      for (const one of findings) expect(one.advice !== null).toBe(one.state === 'warn' || one.state === 'fail');
    },
  );

  test('if the service works, every check passes, and each request is sent once; an API key does not ask for billing', async () => {
    serve(person());
    expect((await diagnose(signedIn())).map(({ state }) => state)).toEqual(Array(9).fill('ok'));
    const calls = () => server.requests.map(({ call }) => call.replace('GET ', '')).toSorted();
    expect(calls()).toEqual(Object.keys(HEALTHY).toSorted());
    serve({});
    await diagnose(withKey());
    expect(calls().filter((path) => path === '/v1/billing')).toHaveLength(1);
  });

  test('if the address check fails, every other check is skipped with this reason', async () => {
    const [, ...others] = await diagnose(withKey({ fetch: failing('ENOTFOUND') }));
    const reason = 'Not checked, because the check of address failed.';
    for (const other of others) expect(other).toMatchObject({ state: 'skipped', found: reason, advice: null });
  });
});

describe('esk doctor', () => {
  const doctor = (...more: string[]) =>
    eskHere(['doctor', ...more], { env: { ESK_URL: server.url, ESK_API_KEY: API_KEY } });

  test.each<[string, Answers, number]>([
    ['address', { '/health': lose }, 5],
    ['credential', refused(401, 'unauthorized'), 4],
    ['readiness', PARTS_DOWN, 3],
  ])(
    'if the first failed check is “%s”, esk doctor says so after its findings, and sets the exit status',
    async (check, answers, code) => {
      serve(answers);
      const { stdout, ...ended } = await doctor('--json');
      expect(JSON.parse(stdout.toString())).toHaveLength(9);
      const message = new RegExp(`^esk: check_failed: the check of ${check} failed; .+\n$`);
      expectFailure({ ...ended, stdout: Buffer.alloc(0) }, code, message);
    },
  );

  test('without --json, esk doctor prints a line for each check and the advice below it; if all pass, it exits with 0', async () => {
    serve(refused(401, 'unauthorized'));
    const { stdout } = await doctor();
    expect(stdout.toString()).toMatch(
      /^ok +address +The service answers at .+\n(?:.+\n)*fail +credential +.+\n {21}Check that/,
    );
    serve({});
    expect(await doctor()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the faults of an access token', () => {
  const NOW_S = 1_800_000_000;
  const { issuer, audience } = SIGN_IN;
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  /** Returns a token with these claims and header. Its signature is not read. */
  const tokenOf = (claims: object, header: object = { alg: 'RS256', typ: 'at+jwt' }) =>
    `${encode(header)}.${encode({ iss: issuer, aud: audience, sub: 'ada', exp: NOW_S + 600, ...claims })}.AAAA`;

  test.each([
    ['an opaque token', 'f3b1c2d4', /not a JWT/],
    ['an encrypted token', 'a.b.c.d.e', /not a JWT/],
    ['another issuer', tokenOf({ iss: 'https://other.example.com' }), /issuer \(iss\): "https:\/\/other/],
    ['an issuer with a slash', tokenOf({ iss: `${issuer}/` }), /issuer \(iss\)/],
    ['another audience', tokenOf({ aud: ['a', 'b'] }), /audience \(aud\): \["a","b"\]/],
    ['no audience', tokenOf({ aud: undefined }), /audience \(aud\): undefined/],
    ['an ID token', tokenOf({ nonce: 'n' }, { alg: 'RS256', typ: 'JWT' }), /is an ID token/],
    ['another type', tokenOf({}, { alg: 'RS256', typ: 'logout+jwt' }), /type \(typ\) "logout\+jwt"/],
    ['no subject', tokenOf({ sub: undefined }), /no claim sub/],
    ['no expiry', tokenOf({ exp: undefined }), /no claim exp/],
    ['an expired token', tokenOf({ exp: NOW_S - 7_200 }), /expired 120 minutes ago/],
    ['a token from the future', tokenOf({ nbf: NOW_S + 3_600 }), /not valid for another 60 minutes/],
  ])('%s is explained, with advice', (_, token, found) => {
    const fault = tokenFault(token, SIGN_IN, NOW_S * 1_000);
    expect(fault?.found).toMatch(found);
    expect(fault?.advice).toMatch(/./);
  });

  test('a token without a visible fault is not explained', () => {
    for (const aud of [audience, ['x', audience]])
      expect(tokenFault(tokenOf({ aud, name: 'Zoë' }), SIGN_IN, NOW_S * 1_000)).toBeUndefined();
  });
});
