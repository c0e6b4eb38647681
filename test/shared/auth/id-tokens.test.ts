import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { DecisionPoint } from '../../../shared/auth/decision-point.ts';
import { fetchKeys } from '../../../shared/auth/fetch-keys.ts';
import { readIdToken } from '../../../shared/auth/id-token.ts';
import { IdTokens } from '../../../shared/auth/id-tokens.ts';
import { IssuerKeys } from '../../../shared/auth/issuer-keys.ts';
import { type PublishedKey, parseKeySet } from '../../../shared/auth/published-key.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeLog } from '../../../shared/base/log.ts';
import { listen } from '../../support/second-service.ts';
import { publicJwk, signedBy, startTestIssuer, type TestIssuer } from '../../support/workloads.ts';

const MINUTE_MS = 60_000;
const API_KEY = 'urn:uuid:7d2e4b60-91c3-4e8f-b1a6-2f3c8d9e0b32';
const refused = expect.objectContaining({ code: 'unauthorized' });

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startTestIssuer();
});
afterAll(() => issuer.stop());

/**
 * Makes the service's verification with a clock that moves only when told to. A digest identifies a token, so a forged
 * token with the digest of a genuine one passes exactly if the verification of the genuine one was remembered.
 */
function anIdTokens(lifetimeS = 3_600) {
  const iat = Math.floor(Date.now() / 1000);
  let nowMs = iat * 1000;
  const config = {
    workloadIssuers: [{ issuer: issuer.issuer, claims: ['sub'], maxLifetimeS: 86_400 }],
    firestoreEmulatorHost: '127.0.0.1:1',
    identity: undefined,
  };
  const idTokens = new IdTokens(
    config,
    { now: () => makeInstant(nowMs * 1000) },
    makeLog(() => undefined),
  );
  const claims = { iss: issuer.issuer, aud: API_KEY, sub: 'job', iat, exp: iat + lifetimeS };
  const text = signedBy('es', 'ES256', claims);
  const read = (token: string) => {
    const idToken = readIdToken(token, config);
    if (idToken === undefined) throw new Error('the token is not an ID token');
    return idToken;
  };
  const [genuine, forged] = [read(text), read(text.replace(/[^.]+$/, 'AAAA'))];
  const unknown = read(signedBy('es', 'ES256', claims, { kid: 'nobody' }));
  return {
    idTokens,
    pass: (ms: number) => {
      nowMs += ms;
    },
    matched: async (digest: string) => idTokens.remember(digest, await idTokens.verify(genuine, digest)),
    genuine: (digest: string) => idTokens.verify(genuine, digest),
    forged: (digest: string) => idTokens.verify(forged, digest),
    unknown: () => idTokens.verify(unknown, 'unknown'),
  };
}

test('a verification is remembered after a federation matched, and only for this token', async () => {
  const { genuine, forged, matched } = anIdTokens();
  await genuine('one');
  await expect(forged('one')).rejects.toEqual(refused);
  await matched('one');
  expect(await forged('one')).toMatchObject({ workload: { subject: 'job' } });
  await expect(forged('two')).rejects.toEqual(refused);
});

test('a verification is remembered for five minutes, also if the token is used meanwhile', async () => {
  const { forged, matched, pass } = anIdTokens();
  await matched('one');
  pass(5 * MINUTE_MS - 1);
  await matched('one');
  await forged('one');
  pass(1);
  await expect(forged('one')).rejects.toEqual(refused);
});

test('a remembered token is refused from its exp on', async () => {
  const { genuine, matched, pass } = anIdTokens(60);
  await matched('one');
  pass(MINUTE_MS - 1);
  await genuine('one');
  pass(1);
  await expect(genuine('one')).rejects.toEqual(refused);
});

test('a verification is forgotten if the issuer replaces the key under the same kid', async () => {
  const { forged, matched, pass, unknown } = anIdTokens();
  const { keys } = issuer;
  onTestFinished(() => {
    issuer.keys = keys;
  });
  await matched('one');
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  issuer.keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'es' }];
  await forged('one');
  pass(MINUTE_MS);
  // A `kid` that the issuer did not publish makes the service read the keys again.
  await expect(unknown()).rejects.toEqual(refused);
  await expect(forged('one')).rejects.toEqual(refused);
});

test('at most 10,000 verifications are remembered', async () => {
  const { idTokens, genuine, forged } = anIdTokens();
  const verified = await genuine('first');
  idTokens.remember('first', verified);
  for (let n = 1; n < 10_000; n++) idTokens.remember(`${n}`, verified);
  await forged('first');
  idTokens.remember('one more', verified);
  await expect(forged('1')).rejects.toEqual(refused);
  await forged('first');
});

const SECOND_MS = 1_000;
const [ES, RSA] = [parseKeySet({ keys: [publicJwk('es')] }), parseKeySet({ keys: [publicJwk('rsa')] })];

/** Makes the keys of an issuer that answers with `next`, and a clock that moves only when told to. */
function anIssuer() {
  let nowMs = Date.now();
  const issuer = {
    reads: 0,
    next: async (): Promise<PublishedKey[]> => ES,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
  const clock = { now: () => makeInstant(nowMs * 1000) };
  const keys = new IssuerKeys(() => {
    issuer.reads++;
    return issuer.next();
  }, clock);
  const es = async () => (await keys.find('es', 'ES256'))?.kid;
  const unknown = async () => (await keys.find('nobody', 'ES256'))?.kid;
  return { issuer, keys, es, unknown };
}

const down = async (): Promise<never> => {
  throw new Error('the issuer is down');
};
const unavailable = expect.objectContaining({ code: 'unavailable' });

test('requests that come together share one read', async () => {
  const { issuer, es } = anIssuer();
  expect(await Promise.all(Array.from({ length: 100 }, es))).toEqual(Array(100).fill('es'));
  expect(issuer.reads).toBe(1);
});

test('at most 100 requests wait for a read, and further ones are refused', async () => {
  const { issuer, es } = anIssuer();
  const { promise, resolve } = Promise.withResolvers<PublishedKey[]>();
  issuer.next = () => promise;
  const waiting = Array.from({ length: 100 }, es);
  await expect(es()).rejects.toEqual(unavailable);
  resolve(ES);
  expect(await Promise.all(waiting)).toEqual(Array(100).fill('es'));
});

test('a key that the issuer does not have is looked for again after 30 seconds, not sooner', async () => {
  const { issuer, es, unknown } = anIssuer();
  expect(await unknown()).toBeUndefined();
  expect(await unknown()).toBeUndefined();
  issuer.pass(29 * SECOND_MS);
  expect(await unknown()).toBeUndefined();
  expect(issuer.reads).toBe(1);
  issuer.pass(SECOND_MS);
  expect(await Promise.all([unknown(), unknown()])).toEqual([undefined, undefined]);
  expect(issuer.reads).toBe(2);
  expect(await es()).toBe('es');
  expect(issuer.reads).toBe(2);
});

test('a new key of the issuer is found, and a removed one is not used any more', async () => {
  const { issuer, keys, es } = anIssuer();
  expect(await es()).toBe('es');
  issuer.next = async () => RSA;
  issuer.pass(30 * SECOND_MS);
  expect((await keys.find('rsa', 'RS256'))?.kid).toBe('rsa');
  expect(await es()).toBeUndefined();
});

test('a key is not used with an algorithm that is not its own', async () => {
  const { keys } = anIssuer();
  expect(await keys.find('es', 'RS256')).toBeUndefined();
});

test('keys are read again in time, without delay for a request', async () => {
  const { issuer, es } = anIssuer();
  await es();
  issuer.pass(5 * MINUTE_MS);
  expect(await es()).toBe('es');
  expect(issuer.reads).toBe(2);
  issuer.pass(5 * MINUTE_MS + SECOND_MS);
  expect(await es()).toBe('es');
});

test('while the issuer is down, keys are used for ten minutes and then no longer', async () => {
  const { issuer, es } = anIssuer();
  await es();
  issuer.next = down;
  issuer.pass(10 * MINUTE_MS - SECOND_MS);
  expect(await es()).toBe('es');
  issuer.pass(SECOND_MS);
  await expect(es()).rejects.toEqual(unavailable);
  issuer.next = async () => ES;
  expect(await es()).toBe('es');
});

test('after a failed read, requests wait for the next one, which all of them share', async () => {
  const { issuer, es } = anIssuer();
  issuer.next = down;
  await expect(es()).rejects.toEqual(unavailable);
  expect(issuer.reads).toBe(1);
  issuer.next = async () => ES;
  expect(await Promise.all([es(), es(), es()])).toEqual(['es', 'es', 'es']);
  expect(issuer.reads).toBe(2);
});

test('while an unknown key cannot be looked for, it is not known to be wrong', async () => {
  const { issuer, es, unknown } = anIssuer();
  await es();
  issuer.next = down;
  issuer.pass(30 * SECOND_MS);
  await expect(unknown()).rejects.toEqual(unavailable);
  await expect(unknown()).rejects.toEqual(unavailable);
  expect(issuer.reads).toBe(2);
  expect(await es()).toBe('es');
});

test('if the clock goes back, keys are read again', async () => {
  const { issuer, es } = anIssuer();
  await es();
  issuer.pass(-MINUTE_MS);
  expect(await es()).toBe('es');
  expect(issuer.reads).toBe(2);
});

const DISCOVERY = '/.well-known/openid-configuration';

test.each([[DISCOVERY], ['/jwks']])(
  'both documents of an issuer have five seconds together, also if the issuer sends %s byte by byte',
  async (slow) => {
    const deadline = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    onTestFinished(() => timeout.mockRestore());
    const server = createServer((request, response) => {
      const documents = { [DISCOVERY]: { issuer, jwks_uri: `${issuer}/jwks` }, '/jwks': { keys: [publicJwk('es')] } };
      const text = JSON.stringify(Object(documents)[request.url ?? '']);
      // The deadline passes while the slow document arrives.
      if (request.url === slow) response.write(text.slice(0, 1), () => deadline.abort());
      else response.end(text);
    });
    const issuer = `http://127.0.0.1:${await listen(server)}`;
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await expect(fetchKeys(issuer, true)).rejects.toMatchObject({ name: 'AbortError' });
    expect(timeout).toHaveBeenCalledExactlyOnceWith(5_000);
  },
);

const PRINCIPAL = { id: 'one', roles: ['api_key'], attr: {} };
const RESOURCES = [{ resource: { kind: 'key', id: 'one', attr: {} }, actions: ['wrap'] }];
const ALLOWED = JSON.stringify({ results: [{ actions: { wrap: 'EFFECT_ALLOW' } }] });

/**
 * Starts a policy decision point that answers with `answer`. Returns `check`, which asks it for a decision, and
 * `requested`, the paths of the requests that it received.
 */
async function startDecisionPoint(answer: RequestListener, path = '') {
  const requested: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url);
    answer(request, response);
  });
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const point = new DecisionPoint(`http://127.0.0.1:${port}${path}`);
  return { requested, check: () => point.check(PRINCIPAL, RESOURCES) };
}

test.each(['', '/', '/cerbos', '/cerbos/'])(
  'the address of the policy decision point may have the base path "%s"',
  async (path) => {
    const { requested, check } = await startDecisionPoint((_, response) => response.end(ALLOWED), path);
    for (let time = 0; time < 2; time++) expect(await check()).toEqual([{ wrap: 'EFFECT_ALLOW' }]);
    expect(new Set(requested)).toEqual(new Set([`${path.replace(/\/$/, '')}/api/check/resources`]));
  },
);

test.each<[string, RequestListener]>([
  ['status 500', (_, response) => response.writeHead(500).end(ALLOWED)],
  ['text that is not JSON', (_, response) => response.end('allow')],
  ['JSON of another shape', (_, response) => response.end('{"results":[{"actions":[]}]}')],
  ['a closed connection', (request) => request.socket.destroy()],
  [
    'a truncated response',
    (_, response) => response.writeHead(200, { 'content-length': 99 }).write(ALLOWED, () => response.destroy()),
  ],
])('a policy check fails if the decision point answers with %s', async (_, answer) => {
  await expect((await startDecisionPoint(answer)).check()).rejects.toThrow();
});

test('a policy check is retried if a reused connection closes before the answer', async () => {
  const { requested, check } = await startDecisionPoint((request, response) => {
    if (requested.length === 2) request.socket.resetAndDestroy();
    else response.end(ALLOWED);
  });
  for (let time = 0; time < 2; time++) expect(await check()).toEqual([{ wrap: 'EFFECT_ALLOW' }]);
  expect(requested).toHaveLength(3);
});
