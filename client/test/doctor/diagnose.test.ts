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

/** The answers of a service that works. */
const HEALTHY: Readonly<Record<string, Step>> = {
  '/health': answer(200, { status: 'ok' }),
  '/health/ready': answer(200, { status: 'ok', checks: READY }),
  '/v1/caller': answer(200, CALLER),
  '/v1/keys': answer(200, [KEY_JSON]),
  '/v1/usage': answer(200, [{ ...LINE, ops: 7_999 }]),
  '/v1/billing': answer(200, { standing: 'good', subscription: { status: 'active' } }),
};

/** Makes the server answer like a working service, except for the answers in `changes`. */
function serve(changes: Readonly<Record<string, Step>>): void {
  const answers = { ...HEALTHY, ...changes };
  server.play((response, request) => answers[request.call.replace('GET ', '')]?.(response, request));
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

/** Returns the findings, with the name of the check as the key. */
async function findingsOf(options: DiagnosisOptions) {
  const findings = await diagnose(options);
  return new Map(findings.map((finding) => [finding.check, finding]));
}

async function expectFinding(options: DiagnosisOptions, check: CheckName, state: string, found: RegExp): Promise<void> {
  const findings = await findingsOf(options);
  expect(findings.get(check)).toMatchObject({ check, state, found: expect.stringMatching(found) });
  // Only warnings and failures have advice.
  for (const one of findings.values()) expect(one.advice !== null).toBe(one.state === 'warn' || one.state === 'fail');
}

test('if the service works, every check passes, and each request is sent only once', async () => {
  serve({ '/v1/caller': answer(200, PERSON) });
  const findings = await findingsOf(signedIn());
  expect([...findings.values()].map(({ state }) => state)).toEqual(Array(9).fill('ok'));
  const calls = server.requests.map(({ call }) => call);
  expect(calls.toSorted()).toEqual(
    Object.keys(HEALTHY)
      .map((path) => `GET ${path}`)
      .toSorted(),
  );
});

describe('the address check', () => {
  test('the address check fails if no server listens at the address', async () => {
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
  ])('the address check fails and explains the error %s', async (code, found) => {
    await expectFinding(withKey({ fetch: failing(code) }), 'address', 'fail', found);
  });

  test('the address check fails if the library does not accept the address', async () => {
    await expectFinding(withKey({ url: 'http://192.0.2.1' }), 'address', 'fail', /must start with https/);
  });

  test.each([
    ['an HTML page', page(200)],
    ['an HTML page with status 404', page(404)],
    ['unexpected JSON', answer(200, [])],
  ])('the address check fails if the server answers with %s, as another service would', async (_, step) => {
    serve({ '/health': step });
    await expectFinding(withKey(), 'address', 'fail', /does not answer as this service does/);
  });

  test('the address check fails if the connection is closed, and if a proxy gets no answer', async () => {
    serve({ '/health': lose });
    await expectFinding(withKey(), 'address', 'fail', /closed without an answer/);
    serve({ '/health': page(502) });
    await expectFinding(withKey(), 'address', 'fail', /^A proxy at .+ with status 502/);
  });

  test('if the address check fails, every other check is skipped with this reason', async () => {
    const [, ...others] = await diagnose(withKey({ fetch: failing('ENOTFOUND') }));
    const reason = 'Not checked, because the check of address failed.';
    for (const other of others) expect(other).toMatchObject({ state: 'skipped', found: reason, advice: null });
  });
});

describe('the TLS check', () => {
  test.each([
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /not valid yet/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /does not know the issuer/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another host name/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /handshake failed \(ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION\)/],
  ])('the TLS check fails and explains the error %s', async (code, found) => {
    const options = withKey({ url: 'https://api.example', fetch: failing(code) });
    await expectFinding(options, 'tls', 'fail', found);
    await expectFinding(options, 'address', 'ok', /listens/);
    await expectFinding(options, 'credential', 'skipped', /check of tls failed/);
  });

  test('the TLS check fails if the server speaks only http', async () => {
    const url = server.url.replace('http:', 'https:');
    await expectFinding(withKey({ url }), 'tls', 'fail', /does not speak TLS/);
  });

  test('the TLS check warns if http is used to reach another machine', async () => {
    serve({});
    await expectFinding(withKey({ allowHttp: true }), 'tls', 'warn', /not encrypted/);
  });
});

describe('the clock check', () => {
  test.each([
    [29, 'ok', /agree/],
    [-29, 'ok', /agree/],
    [45, 'warn', /4\d seconds behind/],
    [-600, 'warn', /10 minutes ahead of/],
    [36_000, 'warn', /10 hours behind/],
  ])(
    'a difference of %i seconds between the service’s clock and the local clock is reported as %s',
    async (seconds, state, found) => {
      const date = new Date(Date.now() + seconds * 1000).toUTCString();
      serve({ '/health': answer(200, { status: 'ok' }, { date }) });
      await expectFinding(withKey(), 'clock', state, found);
    },
  );

  test('the clock check is skipped if the answer has no Date header, as in a browser', async () => {
    serve({
      '/health': (response, request) => HEALTHY['/health']?.(Object.assign(response, { sendDate: false }), request),
    });
    await expectFinding(withKey(), 'clock', 'skipped', /not visible/);
  });
});

describe('the readiness check', () => {
  test('the readiness check names every component that is down', async () => {
    const checks = { firestore: 'ok', kms: 'unavailable', policy: 'unavailable' };
    serve({ '/health/ready': answer(503, { status: 'unavailable', checks }) });
    await expectFinding(
      withKey(),
      'readiness',
      'fail',
      /^The KMS does not answer in time: .+ may be slow or fail\. The policy decision point does not/,
    );
  });
});

describe('the credential check', () => {
  test('the credential check reports a missing credential, and the checks that need no credential still run', async () => {
    serve({});
    const { url } = server;
    await expectFinding({ url, source: 'Run esk login.' }, 'credential', 'fail', /no usable credential/);
    await expectFinding({ url, source: 'Run esk login.' }, 'readiness', 'ok', /All parts/);
    await expectFinding({ url, source: 'Run esk login.' }, 'rights', 'skipped', /check of credential failed/);
  });

  test.each([
    ['an API key', withKey, /does not accept the API key in ESK_API_KEY/],
    ['a sign-in', signedIn, /does not accept the sign-in/],
  ])('the credential check reports %s that the service refuses', async (_, options, found) => {
    serve({ '/v1/caller': refuse(401, 'unauthorized') });
    await expectFinding(options(), 'credential', 'fail', found);
  });

  test('the credential check fails if the service answers with an error that says nothing about the credential', async () => {
    serve({ '/v1/caller': refuse(429, 'rate_limited') });
    await expectFinding(
      withKey(),
      'credential',
      'fail',
      /could not check .+ rate_limited: .+ \(request [0-9a-f-]{36}\)/,
    );
  });

  test('the credential check reports an expired session', async () => {
    serve({});
    const accessToken = () => Promise.reject(new Error('your session has expired; run esk login'));
    await expectFinding({ url: server.url, accessToken, source: 'the sign-in' }, 'credential', 'fail', /has expired/);
  });
});

describe('the firewall check', () => {
  test('if a firewall refuses the caller’s address, the firewall check shows the address and the credential check passes', async () => {
    serve({ '/v1/caller': refuse(403, 'ip_not_allowed', { message: `the firewall does not allow ${ADDRESS}` }) });
    await expectFinding(withKey(), 'firewall', 'fail', /refuses your address: .+203\.0\.113\.7/);
    await expectFinding(withKey(), 'credential', 'ok', /accepts/);
    await expectFinding(withKey(), 'rights', 'skipped', /check of firewall failed/);
  });

  test.each([
    ['an API key without a firewall', null, /address as 203\.0\.113\.7\. The API key has no firewall/],
    [
      'an API key whose firewall allows the address',
      KEY_JSON.id,
      /address as 203\.0\.113\.7\. The firewall of the API key allows it/,
    ],
  ])('for %s, the firewall check passes and shows the address that the service sees', async (_, firewall_id, found) => {
    serve({ '/v1/caller': answer(200, { ...CALLER, firewall_id }) });
    await expectFinding(withKey(), 'firewall', 'ok', found);
  });
});

describe('the rights check', () => {
  test.each([
    [
      'that may use all keys of its container',
      {},
      [KEY_JSON],
      'ok',
      /"ci" may encrypt, decrypt with 1 key in container/,
    ],
    ['with a key list', { key_ids: [KEY_JSON.id] }, [KEY_JSON], 'ok', /with 1 key of its key list/],
    ['whose key list names no existing key', { key_ids: [KEY_JSON.id] }, [], 'warn', /no key of its key list/],
    ['in an empty container', {}, [], 'warn', /no key in container/],
    ['without allowed actions', { allowed_actions: [] }, [KEY_JSON], 'warn', /no allowed actions/],
  ])('the rights check describes the rights of an API key %s', async (_, caller, keys, state, found) => {
    serve({ '/v1/caller': answer(200, { ...CALLER, ...caller }), '/v1/keys': answer(200, keys) });
    await expectFinding(withKey(), 'rights', state, found);
  });

  test('the rights check shows the role of a signed-in person', async () => {
    serve({ '/v1/caller': answer(200, { ...PERSON, role: 'auditor' }) });
    await expectFinding(signedIn(), 'rights', 'ok', /auditor: you may read everything and change nothing/);
  });

  test('the rights check fails for a person without a tenant', async () => {
    serve({ '/v1/caller': refuse(403, 'no_tenant') });
    await expectFinding(signedIn(), 'rights', 'fail', /do not belong to a tenant/);
    await expectFinding(signedIn(), 'credential', 'ok', /accepts/);
  });
});

describe('the billing check', () => {
  const free = answer(200, [{ ...KEY_JSON, tier: 'free' }]);
  const ofBilling = (standing: string, status?: string) =>
    answer(200, { standing, subscription: status === undefined ? null : { status } });

  test.each([
    ['a failed payment', { '/v1/billing': ofBilling('good', 'past_due') }, 'warn', /payment failed/],
    [
      'a tenant without a subscription',
      { '/v1/billing': ofBilling('none'), '/v1/keys': free },
      'ok',
      /no subscription\. Free keys work/,
    ],
    [
      'an unpaid subscription',
      { '/v1/billing': ofBilling('none', 'unpaid') },
      'fail',
      /is unpaid\. Paid keys only decrypt and unwrap/,
    ],
    ['a service without billing', { '/v1/billing': refuse(404, 'not_found') }, 'skipped', /has no billing/],
    [
      'an error of the service',
      { '/v1/billing': refuse(500, 'internal_error') },
      'fail',
      /could not report the billing standing/,
    ],
  ])('the billing check reports %s', async (_, answers, state, found) => {
    serve({ '/v1/caller': answer(200, PERSON), ...answers });
    await expectFinding(signedIn(), 'billing', state, found);
  });

  test('the billing check is skipped for an API key', async () => {
    serve({});
    await expectFinding(withKey(), 'billing', 'skipped', /^Only a signed-in person .+: env -u ESK_API_KEY esk doctor$/);
    expect(server.requests.map(({ call }) => call)).not.toContain('GET /v1/billing');
  });
});

describe('the allowance check', () => {
  test.each([
    ['free', 7_999, 'ok', /No key has used 80 %/],
    ['free', 8_000, 'warn', /"orders" 8000 of 10000/],
    ['free', 10_000, 'fail', /refuses operations until the end of the month \(UTC\): "orders" 10000 of 10000/],
    ['software', 10_000, 'warn', /"orders" 10000 of 10000/],
  ])('the allowance of a %s key after %i operations is reported as %s', async (tier, ops, state, found) => {
    serve({ '/v1/keys': answer(200, [{ ...KEY_JSON, tier }]), '/v1/usage': answer(200, [{ ...LINE, ops }]) });
    await expectFinding(withKey(), 'allowance', state, found);
  });

  test('the allowance of a destroyed key is ignored', async () => {
    serve({ '/v1/keys': answer(200, []), '/v1/usage': answer(200, [{ ...LINE, ops: 10_000 }]) });
    await expectFinding(withKey(), 'allowance', 'ok', /No key/);
  });
});

/** Returns a fetch function that fails with the given error code, as Node's fetch does. */
function failing(code: string): typeof fetch {
  return () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('failed'), { code }) }));
}
