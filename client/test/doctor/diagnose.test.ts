import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/doctor/diagnose.ts';
import type { DiagnosisOptions } from '../../src/doctor/examination.ts';
import type { CheckName } from '../../src/doctor/finding.ts';
import { API_KEY, KEY_JSON } from '../support/objects.ts';
import { answer, lose, page, refuse, type Step, scriptedServer } from '../support/scripted-server.ts';

const server = scriptedServer();
const ADDRESS = '203.0.113.7';
const CALLER = {
  kind: 'api_key',
  id: KEY_JSON.id,
  name: 'ci',
  role: null,
  container_id: KEY_JSON.container_id,
  allowed_actions: ['encrypt', 'decrypt'],
  key_ids: null,
  firewall_id: null,
  address: ADDRESS,
};
const PERSON = { ...CALLER, kind: 'session', name: 'Ada', role: 'owner', container_id: null, allowed_actions: null };
const LINE = {
  key_id: KEY_JSON.id,
  container_id: KEY_JSON.container_id,
  overage_ops: 0,
  cap: 10_000,
  allowance: 10_000,
};
const READY = { firestore: 'ok', kms: 'ok', policy: 'ok' };

/** What a service answers where all is well. */
const WELL: Readonly<Record<string, Step>> = {
  '/health': answer(200, { status: 'ok' }),
  '/health/ready': answer(200, { status: 'ok', checks: READY }),
  '/v1/caller': answer(200, CALLER),
  '/v1/keys': answer(200, [KEY_JSON]),
  '/v1/usage': answer(200, [{ ...LINE, ops: 7_999 }]),
  '/v1/billing': answer(200, { standing: 'good', subscription: { status: 'active' } }),
};

/** A service that answers some things otherwise. */
function play(otherwise: Readonly<Record<string, Step>>): void {
  const answers = { ...WELL, ...otherwise };
  server.play((response, asked) => answers[asked.call.replace('GET ', '')]?.(response, asked));
}

const withKey = (more: object = {}): DiagnosisOptions => ({
  url: server.url,
  apiKey: API_KEY,
  source: 'the API key in ESK_API_KEY',
  ...more,
});
const signedIn = (): DiagnosisOptions => ({
  url: server.url,
  accessToken: () => 'token',
  source: 'the sign-in',
});

/** What a check found, by its name. */
async function findingsOf(options: DiagnosisOptions) {
  const findings = await diagnose(options);
  return new Map(findings.map((finding) => [finding.check, finding]));
}

async function expectFinding(options: DiagnosisOptions, check: CheckName, state: string, found: RegExp): Promise<void> {
  const findings = await findingsOf(options);
  expect(findings.get(check)).toMatchObject({ check, state, found: expect.stringMatching(found) });
  // What needs attention comes with what to do, and nothing else does.
  for (const one of findings.values()) expect(one.advice !== null).toBe(one.state === 'warn' || one.state === 'fail');
}

test('where all is well, every check says so, and each thing is asked once', async () => {
  play({ '/v1/caller': answer(200, PERSON) });
  const findings = await findingsOf(signedIn());
  expect([...findings.values()].map(({ state }) => state)).toEqual(Array(9).fill('ok'));
  const calls = server.asked.map(({ call }) => call);
  expect(calls.toSorted()).toEqual(
    Object.keys(WELL)
      .map((path) => `GET ${path}`)
      .toSorted(),
  );
});

describe('the address', () => {
  test('is that of a server that listens', async () => {
    await expectFinding(
      withKey({ url: 'http://127.0.0.1:1' }),
      'address',
      'fail',
      /^Nothing answers at http:\/\/127\.0\.0\.1:1/,
    );
  });

  test.each([
    ['ENOTFOUND', /cannot be resolved \(ENOTFOUND\)/],
    ['ECONNREFUSED', /^Nothing answers .+ \(ECONNREFUSED\)/],
    ['UND_ERR_CONNECT_TIMEOUT', /^Nothing answers/],
    ['ECONNRESET', /closed without an answer \(ECONNRESET\)/],
  ])('is named as wrong with %s', async (code, found) => {
    await expectFinding(withKey({ fetch: failing(code) }), 'address', 'fail', found);
  });

  test('is one that the library accepts', async () => {
    await expectFinding(withKey({ url: 'http://192.0.2.1' }), 'address', 'fail', /must start with https/);
  });

  test.each([
    ['a page', page(200)],
    ['an unknown path', page(404)],
    ['another object', answer(200, [])],
  ])('is this service’s: not that of a server that answers with %s', async (_, step) => {
    play({ '/health': step });
    await expectFinding(withKey(), 'address', 'fail', /does not answer as this service does/);
  });

  test('is not one where connections are closed, or a proxy has no answer', async () => {
    play({ '/health': lose });
    await expectFinding(withKey(), 'address', 'fail', /closed without an answer/);
    play({ '/health': page(502) });
    await expectFinding(withKey(), 'address', 'fail', /^A proxy at .+ with status 502/);
  });

  test('without an answer makes every other check skipped, with the reason', async () => {
    const [, ...others] = await diagnose(withKey({ fetch: failing('ENOTFOUND') }));
    const reason = 'Not checked, because the check of address failed.';
    for (const other of others) expect(other).toMatchObject({ state: 'skipped', found: reason, advice: null });
  });
});

describe('TLS', () => {
  test.each([
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /not valid yet/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /does not know the issuer/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /handshake failed \(ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION\)/],
  ])('says what is wrong with the certificate: %s', async (code, found) => {
    const options = withKey({ url: 'https://api.example', fetch: failing(code) });
    await expectFinding(options, 'tls', 'fail', found);
    await expectFinding(options, 'address', 'ok', /listens/);
    await expectFinding(options, 'credential', 'skipped', /check of tls failed/);
  });

  test('is not spoken by a server of http', async () => {
    const url = server.url.replace('http:', 'https:');
    await expectFinding(withKey({ url }), 'tls', 'fail', /does not speak TLS/);
  });

  test('is missed where http goes to other machines', async () => {
    play({});
    await expectFinding(withKey({ allowHttp: true }), 'tls', 'warn', /not encrypted/);
  });
});

describe('the clock', () => {
  test.each([
    [29, 'ok', /agree/],
    [-29, 'ok', /agree/],
    [45, 'warn', /4\d seconds behind/],
    [-600, 'warn', /10 minutes ahead of/],
    [36_000, 'warn', /10 hours behind/],
  ])('of a service that is %i seconds ahead: %s', async (seconds, state, found) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    play({ '/health': answer(200, { status: 'ok' }, { date }) });
    await expectFinding(withKey(), 'clock', state, found);
  });

  test('is not compared where the answer has no time, as in a browser', async () => {
    play({ '/health': (response, asked) => WELL['/health']?.(Object.assign(response, { sendDate: false }), asked) });
    await expectFinding(withKey(), 'clock', 'skipped', /not visible/);
  });
});

describe('readiness', () => {
  test('names every part that is down', async () => {
    const checks = { firestore: 'ok', kms: 'unavailable', policy: 'unavailable' };
    play({ '/health/ready': answer(503, { status: 'unavailable', checks }) });
    await expectFinding(
      withKey(),
      'readiness',
      'fail',
      /^The KMS does not answer: .+ The policy decision point does not/,
    );
  });
});

describe('the credential', () => {
  test('is reported missing, and the checks that do not need it still run', async () => {
    play({});
    const { url } = server;
    await expectFinding({ url, source: 'Run esk login.' }, 'credential', 'fail', /no usable credential/);
    await expectFinding({ url, source: 'Run esk login.' }, 'readiness', 'ok', /All parts/);
    await expectFinding({ url, source: 'Run esk login.' }, 'rights', 'skipped', /check of credential failed/);
  });

  test.each([
    [withKey, /does not accept the API key in ESK_API_KEY/],
    [signedIn, /does not accept the sign-in/],
  ])('is refused', async (options, found) => {
    play({ '/v1/caller': refuse(401, 'unauthorized') });
    await expectFinding(options(), 'credential', 'fail', found);
  });

  test('could not be checked', async () => {
    play({ '/v1/caller': refuse(429, 'rate_limited') });
    await expectFinding(
      withKey(),
      'credential',
      'fail',
      /could not check .+ rate_limited: .+ \(request [0-9a-f-]{36}\)/,
    );
  });

  test('is a session that ended', async () => {
    play({});
    const accessToken = () => Promise.reject(new Error('your session has expired; run esk login'));
    await expectFinding({ url: server.url, accessToken, source: 'the sign-in' }, 'credential', 'fail', /has expired/);
  });
});

describe('the firewall', () => {
  test('refuses an address, and names it; the credential is good', async () => {
    play({ '/v1/caller': refuse(403, 'ip_not_allowed', { message: `the firewall does not allow ${ADDRESS}` }) });
    await expectFinding(withKey(), 'firewall', 'fail', /refuses your address: .+203\.0\.113\.7/);
    await expectFinding(withKey(), 'credential', 'ok', /accepts/);
    await expectFinding(withKey(), 'rights', 'skipped', /check of firewall failed/);
  });

  test.each([
    [null, /address as 203\.0\.113\.7\. The API key has no firewall/],
    [KEY_JSON.id, /address as 203\.0\.113\.7\. The firewall of the API key allows it/],
  ])('allows the address that the service sees (%s)', async (firewall_id, found) => {
    play({ '/v1/caller': answer(200, { ...CALLER, firewall_id }) });
    await expectFinding(withKey(), 'firewall', 'ok', found);
  });
});

describe('rights', () => {
  test.each([
    [{}, [KEY_JSON], 'ok', /"ci" may encrypt, decrypt with 1 key in container/],
    [{ key_ids: [KEY_JSON.id] }, [KEY_JSON], 'ok', /with 1 key of its key list/],
    [{ key_ids: [KEY_JSON.id] }, [], 'warn', /no key of its key list/],
    [{}, [], 'warn', /no key in container/],
    [{ allowed_actions: [] }, [KEY_JSON], 'warn', /no allowed actions/],
  ])('of an API key: %j', async (caller, keys, state, found) => {
    play({ '/v1/caller': answer(200, { ...CALLER, ...caller }), '/v1/keys': answer(200, keys) });
    await expectFinding(withKey(), 'rights', state, found);
  });

  test('of a person are those of the role', async () => {
    play({ '/v1/caller': answer(200, { ...PERSON, role: 'auditor' }) });
    await expectFinding(signedIn(), 'rights', 'ok', /auditor: you may read everything and change nothing/);
  });

  test('are missed by a person without a tenant', async () => {
    play({ '/v1/caller': refuse(403, 'no_tenant') });
    await expectFinding(signedIn(), 'rights', 'fail', /do not belong to a tenant/);
    await expectFinding(signedIn(), 'credential', 'ok', /accepts/);
  });
});

describe('billing', () => {
  const free = answer(200, [{ ...KEY_JSON, tier: 'free' }]);
  const ofBilling = (standing: string, status?: string) =>
    answer(200, { standing, subscription: status === undefined ? null : { status } });

  test.each([
    [{ '/v1/billing': ofBilling('good', 'past_due') }, 'warn', /payment failed/],
    [{ '/v1/billing': ofBilling('none'), '/v1/keys': free }, 'ok', /no subscription\. Free keys work/],
    [{ '/v1/billing': ofBilling('none', 'unpaid') }, 'fail', /is unpaid\. Paid keys only decrypt and unwrap/],
    [{ '/v1/billing': refuse(404, 'not_found') }, 'skipped', /has no billing/],
    [{ '/v1/billing': refuse(500, 'internal_error') }, 'fail', /could not tell the billing standing/],
  ])('%#: %s', async (answers, state, found) => {
    play({ '/v1/caller': answer(200, PERSON), ...answers });
    await expectFinding(signedIn(), 'billing', state, found);
  });

  test('is not shown to an API key', async () => {
    play({});
    await expectFinding(withKey(), 'billing', 'skipped', /Only a signed-in person/);
    expect(server.asked.map(({ call }) => call)).not.toContain('GET /v1/billing');
  });
});

describe('the allowance', () => {
  test.each([
    ['free', 7_999, 'ok', /No key has used 80 %/],
    ['free', 8_000, 'warn', /"orders" 8000 of 10000/],
    ['free', 10_000, 'fail', /refuses operations until the end of the month \(UTC\): "orders" 10000 of 10000/],
    ['software', 10_000, 'warn', /"orders" 10000 of 10000/],
  ])('of a %s key after %i operations: %s', async (tier, ops, state, found) => {
    play({ '/v1/keys': answer(200, [{ ...KEY_JSON, tier }]), '/v1/usage': answer(200, [{ ...LINE, ops }]) });
    await expectFinding(withKey(), 'allowance', state, found);
  });

  test('of a destroyed key does not matter', async () => {
    play({ '/v1/keys': answer(200, []), '/v1/usage': answer(200, [{ ...LINE, ops: 10_000 }]) });
    await expectFinding(withKey(), 'allowance', 'ok', /No key/);
  });
});

/** A network whose connections fail with that code, as Node's fetch fails. */
function failing(code: string): typeof fetch {
  return () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('failed'), { code }) }));
}
