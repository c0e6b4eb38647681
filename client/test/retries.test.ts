import { createPrivateKey } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { NOWHERE } from '../../test/support/client.ts';
import { ROUTES } from '../src/api/generated.ts';
import { backoff } from '../src/http/connection.ts';
import { EncryptionService } from '../src/service.ts';
import { callMethod, METHODS } from './support/methods.ts';
import { API_KEY, failureOf, KEY, KEY_JSON } from './support/objects.ts';
import { answer, lose, loseHalf, page, refuse, type Step, scriptedServer } from './support/scripted-server.ts';

const server = scriptedServer();
const connect = (options: { maxRetries?: number } = {}) =>
  new EncryptionService({ url: server.url, apiKey: API_KEY, ...options });

// The pauses before retries are random. This mock makes them zero.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

const ONE = { plaintext: new Uint8Array(1) };
const rotated = answer(200, KEY_JSON);

describe('retries of requests that had no effect', () => {
  test.each([
    ['429 rate_limited', refuse(429, 'rate_limited')],
    ['a proxy’s answer with status 429', page(429)],
  ])('a rotation is retried after %s', async (_, step) => {
    server.play(step, step, rotated);
    expect(await connect().rotateKey(KEY.id)).toEqual(KEY);
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
  });

  test('a rotation is retried after a refused connection', async () => {
    server.play(rotated);
    let attempts = 0;
    const flaky: typeof fetch = async (url, init) => fetch(attempts++ < 2 ? NOWHERE : url, init);
    const service = new EncryptionService({ url: server.url, apiKey: API_KEY, fetch: flaky });
    expect(await service.rotateKey(KEY.id)).toEqual(KEY);
    expect(attempts).toBe(3);
  });
});

describe('the number of retries', () => {
  test.each([
    [undefined, 9],
    [2, 3],
    [0, 1],
  ])('a failing call with the option maxRetries: %s makes %i attempts', async (maxRetries, times) => {
    server.play(refuse(503, 'unavailable'));
    const error = await failureOf(connect({ ...(maxRetries !== undefined && { maxRetries }) }).listKeys());
    expect(error).toMatchObject({ code: 'unavailable', status: 503, retryable: true });
    expect(server.requests).toHaveLength(times);
  });

  test('a call fails as unreachable if no server listens', async () => {
    const error = await failureOf(new EncryptionService({ url: NOWHERE, apiKey: API_KEY }).rotateKey(KEY.id));
    expect(error).toMatchObject({ code: 'unreachable', status: undefined, retryable: true });
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['a port that fetch blocks', () => 'http://127.0.0.1:1'],
    ['a server that does not speak TLS', () => server.url.replace('http:', 'https:')],
  ])('a call to %s fails as unreachable and retryable, because nothing was sent', async (_, url) => {
    const service = new EncryptionService({ url: url(), apiKey: API_KEY, maxRetries: 0 });
    expect(await failureOf(service.rotateKey(KEY.id))).toMatchObject({ code: 'unreachable', retryable: true });
    expect(server.requests).toEqual([]);
  });
});

test.each([
  [400, 'invalid_ciphertext'],
  [401, 'unauthorized'],
  [402, 'billing_required'],
  [403, 'action_not_allowed'],
  [404, 'not_found'],
  [409, 'key_pending_deletion'],
  [413, 'payload_too_large'],
  [500, 'internal_error'],
])('a call is not retried after the error %i %s', async (status, code) => {
  server.play(refuse(status, code));
  expect(await failureOf(connect().encrypt(KEY.id, ONE))).toMatchObject({ code, status, retryable: false });
  expect(server.requests).toHaveLength(1);
});

const NEVER_RETRIED = ['rotateKey', 'startCheckout', 'inviteMember', 'acceptInvitation'];
/** The methods that the library repeats as they are. Before it repeats a creation, it looks for what was created. */
const RETRIED = Object.keys(METHODS).filter((name) => !NEVER_RETRIED.includes(name) && !name.startsWith('create'));
const call = (name: string) => callMethod(connect(), name, METHODS[name]?.() ?? []);
const BYTES = { ciphertext: 'AA==', plaintext: 'AA==', wrapped: 'AA==', dek: 'AA==' };

const LOST = [
  ['the connection ends before the answer', lose],
  ['the connection ends in the middle of the answer', loseHalf],
  ['a proxy answers with 502', page(502)],
  ['a proxy answers with 503', page(503)],
  ['a proxy answers with 504', page(504)],
] as const;

describe.each(RETRIED)('retries of %s after a lost answer', (name) => {
  test.each(LOST)('a call that is safe to repeat is retried if %s', async (_, step) => {
    const operation = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const [, route] = Object.entries(ROUTES).find(([one]) => one === operation) ?? [];
    const body = /^(list|read)/.test(name) ? [] : { ...KEY_JSON, ...BYTES };
    const status = route?.statuses[0] ?? 500;
    server.play(step, answer(status, status === 204 ? undefined : body));
    await call(name);
    expect(server.requests).toHaveLength(2);
  });
});

describe.each(NEVER_RETRIED)('retries of %s after a lost answer', (name) => {
  test.each(LOST)('a call that is unsafe to repeat is not retried if %s', async (_, step) => {
    server.play(step, rotated);
    expect(await failureOf(call(name))).toMatchObject({ code: 'answer_lost', retryable: false });
    expect(server.requests).toHaveLength(1);
  });
});

test.each(['startCheckout', 'rotateKey'])(
  '%s is not retried after 503 unavailable, because it may have taken effect',
  async (name) => {
    server.play(refuse(503, 'unavailable'));
    expect(await failureOf(call(name))).toMatchObject({ code: 'unavailable', retryable: false });
    expect(server.requests).toHaveLength(1);
  },
);

test('the pause before a retry is random, between zero and a limit that doubles up to five seconds', () => {
  const RETRIES = [0, 1, 2, 3, 4, 5, 20];
  expect(RETRIES.map(backoff)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  expect(RETRIES.map(backoff)).toEqual([100, 200, 400, 800, 1600, 2500, 2500]);
});

const create = (settings: { url: string; fetch?: typeof fetch }) =>
  failureOf(new EncryptionService({ ...settings, apiKey: API_KEY, maxRetries: 0 }).createApiKey({ name: 'app' }));

async function started(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  server.on('tlsClientError', () => undefined);
  await listen(server, 0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

/** A server that acts as soon as a client has sent something. */
const onData = (act: (socket: Socket) => void) => createServer((socket) => socket.once('data', () => act(socket)));

/** A key and a self-signed certificate, for tests only. No server that people use has them. */
const TEST_KEY = 'MC4CAQAwBQYDK2VwBCIEIF51DzpBxEG0cBSwbQK0lksKG+tqzH0VmdcLgiwM5uDs';
const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIHRMIGEAgEBMAUGAytlcDAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcNMjYwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBQx
EjAQBgNVBAMMCWxvY2FsaG9zdDAqMAUGAytlcAMhAFkLmG72wtfTpCk1DUqaVGv/ef8g4UvNb7sIV4ii5U5UMAUGAytlcANBAP/t
rnueDxv482rQ6ATCeSpoNEV4xQcIXnF5eburwtXXN4ry74HIlz6iebbiMPhS6unx2UynrPyoxJFx7iU7ZQQ=
-----END CERTIFICATE-----`;

function tlsServer(options: TlsOptions = {}): Server {
  const key = createPrivateKey({ key: Buffer.from(TEST_KEY, 'base64'), format: 'der', type: 'pkcs8' });
  return createTlsServer({ key: key.export({ format: 'pem', type: 'pkcs8' }), cert: TEST_CERTIFICATE, ...options });
}

test.each([
  ['ends the connection during the handshake', () => onData((socket) => socket.end())],
  ['resets the connection during the handshake', () => onData((socket) => socket.resetAndDestroy())],
  ['does not speak TLS', () => onData((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
  ['has an untrusted certificate', () => tlsServer()],
  ['speaks only an old version of TLS', () => tlsServer({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' })],
  ['speaks another protocol over TLS', () => tlsServer({ ALPNProtocols: ['other'] })],
])('a creation fails as unreachable, not as a lost answer, if the server %s', async (_, server) => {
  const error = await create({ url: `https://localhost:${await started(server())}` });
  expect(error).toMatchObject({ code: 'unreachable', retryable: true });
});

test.each([
  ['ends the connection', (socket: Socket) => socket.end()],
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
])('a creation fails with a lost answer, and is not retryable, if the server %s after the request', async (_, act) => {
  const error = await create({ url: `http://127.0.0.1:${await started(onData(act))}` });
  expect(error).toMatchObject({ code: 'answer_lost', retryable: false });
});

const thrown = (code: string): unknown => runInNewContext(code);
const system = (code: string, syscall: string) =>
  `Object.assign(new Error('${syscall} ${code}'), { code: '${code}', syscall: '${syscall}' })`;
const caused = (cause: string) => `new TypeError('fetch failed', { cause: ${cause} })`;

test.each([
  ['unreachable', 'a refused connection', caused(system('ECONNREFUSED', 'connect'))],
  ['unreachable', 'a connection that a local firewall forbids', caused(system('EPERM', 'connect'))],
  ['unreachable', 'a time-out of connecting', caused(system('ETIMEDOUT', 'connect'))],
  ['unreachable', 'an unknown host', caused(system('ENODATA', 'getaddrinfo'))],
  [
    'unreachable',
    'all addresses of a host',
    caused(`new AggregateError([${system('ENETUNREACH', 'connect')}, ${system('EACCES', 'connect')}])`),
  ],
  ['unreachable', 'a thrown object that is no Error', `({ cause: { code: 'ECONNREFUSED' } })`],
  ['answer_lost', 'a reset', caused(system('ECONNRESET', 'read'))],
  ['answer_lost', 'a time-out of reading', caused(system('ETIMEDOUT', 'read'))],
  ['answer_lost', 'a host that became unreachable while reading', caused(system('EHOSTUNREACH', 'read'))],
  ['answer_lost', 'a network that became unreachable while writing', caused(system('ENETUNREACH', 'write'))],
  [
    'answer_lost',
    'several attempts of which one was sent',
    `new AggregateError([${system('ECONNREFUSED', 'connect')}, ${system('ECONNRESET', 'read')}])`,
  ],
  ['answer_lost', 'an error that is its own cause', `(() => { const e = new Error('x'); return (e.cause = e); })()`],
  ['answer_lost', 'a thrown text', `'ECONNREFUSED'`],
])('the code is %s if fetch fails in another realm because of %s', async (code, _, error) => {
  const send = () => Promise.reject(thrown(error));
  expect(await create({ url: 'https://api.example.com', fetch: send })).toMatchObject({ code });
});

const calls = () => server.requests.map(({ call }) => call.replace(/\?.*/, ''));
const firstRequestId = () => server.requests[0]?.headers['x-request-id'];

/**
 * Returns a step that answers with a key's audit log, which says that the request with the given id created the key.
 */
const madeBy =
  (requestId: () => unknown): Step =>
  (response, request) =>
    answer(200, [
      { ts: '2026-11-20T10:11:13.000000Z', operation: 'encrypt', request_id: requestId() },
      { ts: '2026-11-20T10:11:12.123456Z', operation: 'create_key', request_id: requestId() },
    ])(response, request);
const byThis = madeBy(firstRequestId);
const byAnother = madeBy(() => 'another');

const WANTED = { name: 'orders', tier: 'software' } as const;
const AUDIT = `GET /v1/keys/${KEY.id}/audit`;

describe('a key creation without an answer', () => {
  test('after a lost answer, a key that the request created is found by its name and not created again', async () => {
    server.play(lose, answer(200, [KEY_JSON]), byThis);
    expect(await connect().createKey(WANTED)).toEqual(KEY);
    expect(calls()).toEqual(['POST /v1/keys', 'GET /v1/keys', AUDIT]);
  });

  test('after a lost answer, the creation is sent again if no key has the name', async () => {
    server.play(lose, answer(200, [{ ...KEY_JSON, name: 'bills' }]), answer(201, KEY_JSON));
    expect(await connect().createKey(WANTED)).toEqual(KEY);
    expect(calls()).toEqual(['POST /v1/keys', 'GET /v1/keys', 'POST /v1/keys']);
  });

  test('after a lost answer, createKey fails with key_exists if an earlier request created the key of the same name', async () => {
    const found = [answer(200, [KEY_JSON]), byAnother];
    server.play(lose, ...found, refuse(409, 'key_exists'), ...found);
    expect(await failureOf(connect().createKey(WANTED))).toMatchObject({ code: 'key_exists', status: 409 });
  });

  test('a key that is missing in the first lookup is found by a second lookup after the error key_exists', async () => {
    server.play(lose, answer(200, []), refuse(409, 'key_exists'), answer(200, [KEY_JSON]), byThis);
    expect(await connect().createKey(WANTED)).toEqual(KEY);
    expect(calls().filter((call) => call === 'POST /v1/keys')).toHaveLength(2);
  });

  test('after a lost answer, createKey fails with answer_lost if the lookup fails', async () => {
    server.play(lose, refuse(401, 'unauthorized'));
    const error = await failureOf(connect().createKey(WANTED));
    expect(error).toMatchObject({ code: 'answer_lost', requestId: firstRequestId() });
    expect(error.cause).toMatchObject({ code: 'unauthorized' });
  });
});

test.each(['deleteKey', 'updateApiKey', 'encrypt'])(
  'if the answer to %s is lost and no later attempt connects, the error is answer_lost, because the service may have performed it',
  async (name) => {
    server.play(lose);
    let attempts = 0;
    const stopped: typeof fetch = (url, init) => fetch(attempts++ === 0 ? url : NOWHERE, init);
    const service = new EncryptionService({ url: server.url, apiKey: API_KEY, fetch: stopped });
    const error = await failureOf(callMethod(service, name, METHODS[name]?.() ?? []));
    expect(error).toMatchObject({ code: 'answer_lost', requestId: firstRequestId() });
    expect(attempts).toBeGreaterThan(1);
  },
);

test('if the first creation request is refused, the client does not look for an existing key', async () => {
  server.play(refuse(409, 'key_exists'));
  expect(await failureOf(connect().createKey(WANTED))).toMatchObject({ code: 'key_exists' });
  expect(calls()).toEqual(['POST /v1/keys']);
});

test('after a lost answer, a created container is found by its name', async () => {
  const container = { id: KEY.container_id, name: 'eu', is_default: false, created_at: '2026-11-20T10:11:12.123456Z' };
  server.play(lose, answer(200, [{ ...container, name: 'us' }, container]));
  expect(await connect().createContainer({ name: 'eu' })).toMatchObject({ id: container.id, name: 'eu' });
  expect(calls()).toEqual(['POST /v1/containers', 'GET /v1/containers']);
});

describe('a firewall creation without an answer', () => {
  const firewall = {
    id: KEY.id,
    name: 'office',
    container_id: KEY.container_id,
    allowed_ips: ['2001:db8::/32', '2001:db8:1::1/128', '192.0.2.1/32'],
  };
  const containers = answer(200, [{ id: KEY.container_id, name: 'default', is_default: true }]);
  const wanted = { name: 'office', allowed_ips: ['192.0.2.1', '2001:DB8:1:0::1', '2001:db8::/32', '192.0.2.1/32'] };

  test('a created firewall is found by its name, container and networks, in any notation of the networks', async () => {
    server.play(lose, containers, answer(200, [{ ...firewall, container_id: KEY.id }, firewall]));
    expect(await connect().createFirewall(wanted)).toMatchObject({ id: firewall.id, container_id: KEY.container_id });
    expect(calls()).toEqual(['POST /v1/firewalls', 'GET /v1/containers', 'GET /v1/firewalls']);
  });

  test('createFirewall fails with firewall_exists if the firewall of the same name has different networks', async () => {
    const wider = { ...firewall, allowed_ips: [...firewall.allowed_ips, '0.0.0.0/0'] };
    const exists = refuse(409, 'firewall_exists');
    server.play(lose, containers, answer(200, [wider]), exists, containers, answer(200, [wider]));
    expect(await failureOf(connect().createFirewall(wanted))).toMatchObject({ code: 'firewall_exists' });
  });
});

describe('an API key creation without an answer', () => {
  test('after a lost answer, the creation is sent again if no API key has the name', async () => {
    server.play(lose, answer(200, [{ name: 'other' }]), answer(201, { name: 'app', token: API_KEY }));
    expect(await connect().createApiKey({ name: 'app' })).toMatchObject({ token: API_KEY });
  });

  test('after a lost answer, an API key that exists is not created again, and the error says to revoke it', async () => {
    server.play(lose, answer(200, [{ name: 'app' }]));
    const error = await failureOf(connect().createApiKey({ name: 'app' }));
    expect(error).toMatchObject({ code: 'answer_lost', message: expect.stringContaining('revoke'), retryable: false });
    expect(calls()).toEqual(['POST /v1/api-keys', 'GET /v1/api-keys']);
  });
});

const none = answer(200, []);

describe.each(['createKey', 'createApiKey', 'createContainer', 'createFirewall'])('%s without an answer', (name) => {
  test.each([
    ['every answer is lost', [lose, none, lose]],
    ['the lookup is lost too', [lose]],
    ['the lookup fails', [lose, refuse(503, 'unavailable')]],
    ['a later attempt is refused for a moment', [lose, none, refuse(503, 'unavailable')]],
  ])(
    'if %s, the error is answer_lost and not retryable, because a repetition could create another',
    async (_, steps) => {
      server.play(...steps);
      const error = await failureOf(call(name));
      expect(error).toMatchObject({ code: 'answer_lost', retryable: false, requestId: firstRequestId() });
    },
  );
});

test('after a lost answer, restoreKey succeeds if the key is no longer pending deletion', async () => {
  server.play(lose, refuse(409, 'not_pending_deletion'), answer(200, KEY_JSON));
  expect(await connect().restoreKey(KEY.id)).toEqual(KEY);
});

test('restoring a key that was not pending deletion fails with not_pending_deletion', async () => {
  server.play(refuse(409, 'not_pending_deletion'));
  expect(await failureOf(connect().restoreKey(KEY.id))).toMatchObject({ code: 'not_pending_deletion' });
});

test.each([
  ...(['destroyKey', 'removeMember', 'revokeInvitation', 'revokeApiKey', 'deleteContainer', 'deleteFirewall'] as const),
])('after a lost answer, %s succeeds if the object is gone', async (remove) => {
  server.play(lose, refuse(404, 'not_found'));
  await expect(connect()[remove](KEY.id)).resolves.toBeUndefined();
  server.play(refuse(404, 'not_found'));
  expect(await failureOf(connect()[remove](KEY.id))).toMatchObject({ code: 'not_found' });
});

test('after a lost answer, removeMember succeeds for a member who has left the tenant', async () => {
  server.play(lose, refuse(403, 'no_tenant'));
  await expect(connect().removeMember(KEY.id)).resolves.toBeUndefined();
  server.play(refuse(403, 'no_tenant'));
  expect(await failureOf(connect().removeMember(KEY.id))).toMatchObject({ code: 'no_tenant' });
});
