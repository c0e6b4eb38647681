import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NOWHERE } from '../../../test/support/nowhere.ts';
import { EncryptionService } from '../../src/service.ts';
import type { CallOptions } from '../../src/types.ts';
import { failureOf } from '../support/failure-of.ts';
import { API_KEY, KEY, KEY_JSON } from '../support/objects.ts';
import { answer, lose, loseHalf, page, refuse, scriptedServer } from '../support/scripted-server.ts';

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
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
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

  test('a call fails as unreachable if the host name is unknown', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.invalid'), { code: 'ENOTFOUND' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const service = new EncryptionService({ url: 'https://nowhere.invalid', apiKey: API_KEY, maxRetries: 0, fetch });
    expect(await failureOf(service.rotateKey(KEY.id))).toMatchObject({ code: 'unreachable', retryable: true });
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

const id = KEY.id;
type Call = (service: EncryptionService, options?: CallOptions) => Promise<unknown>;
const RETRIED: Record<string, [Call, answer: [number, unknown?]]> = {
  encrypt: [(service) => service.encrypt(id, ONE), [200, { ciphertext: 'AA==' }]],
  decrypt: [(service) => service.decrypt(id, { ciphertext: new Uint8Array(1) }), [200, { plaintext: 'AA==' }]],
  wrap: [(service) => service.wrap(id), [200, { wrapped: 'AA==' }]],
  unwrap: [(service) => service.unwrap(id, { wrapped: new Uint8Array(1) }), [200, { dek: 'AA==' }]],
  rewrap: [(service) => service.rewrap(id, { ciphertext: new Uint8Array(1) }), [200, { ciphertext: 'AA==' }]],
  getKey: [(service) => service.getKey(id), [200, KEY_JSON]],
  listKeys: [(service) => service.listKeys(), [200, [KEY_JSON]]],
  renameKey: [(service) => service.renameKey(id, { name: 'orders' }), [200, KEY_JSON]],
  deleteKey: [(service) => service.deleteKey(id), [200, KEY_JSON]],
  restoreKey: [(service) => service.restoreKey(id), [200, KEY_JSON]],
  freezeKey: [(service) => service.freezeKey(id), [200, KEY_JSON]],
  thawKey: [(service) => service.thawKey(id), [200, KEY_JSON]],
  destroyKey: [(service) => service.destroyKey(id), [204]],
  renameTenant: [(service) => service.renameTenant(null), [200, {}]],
  listMembers: [(service) => service.listMembers(), [200, []]],
  changeRole: [(service) => service.changeRole(id, 'admin'), [200, {}]],
  removeMember: [(service) => service.removeMember(id), [204]],
  listInvitations: [(service) => service.listInvitations(), [200, []]],
  revokeInvitation: [(service) => service.revokeInvitation(id), [204]],
  previewInvitation: [(service) => service.previewInvitation('esi_x'), [200, {}]],
  updateApiKey: [(service) => service.updateApiKey(id, {}), [200, {}]],
  revokeApiKey: [(service) => service.revokeApiKey(id), [204]],
  readUsage: [(service) => service.readUsage(), [200, []]],
  openPortal: [(service) => service.openPortal(), [200, { url: 'https://pay.example' }]],
};

describe.each(Object.entries(RETRIED))('retries of %s after a lost answer', (_, [call, done]) => {
  test.each([
    ['the connection ends before the answer', lose],
    ['the connection ends in the middle of the answer', loseHalf],
    ['a proxy answers with 502', page(502)],
    ['a proxy answers with 503', page(503)],
    ['a proxy answers with 504', page(504)],
  ])('a call that is safe to repeat is retried if %s', async (_, step) => {
    server.play(step, answer(...done));
    await call(connect());
    expect(server.requests).toHaveLength(2);
  });
});

const NEVER_RETRIED: Record<string, Call> = {
  rotateKey: (service) => service.rotateKey(id),
  startCheckout: (service) => service.startCheckout(),
  inviteMember: (service) => service.inviteMember({ role: 'admin' }),
  acceptInvitation: (service) => service.acceptInvitation('esi_x'),
};

describe.each(Object.entries(NEVER_RETRIED))('retries of %s after a lost answer', (_, call) => {
  test.each([
    ['the connection ends before the answer', lose],
    ['the connection ends in the middle of the answer', loseHalf],
    ['a proxy answers with 502', page(502)],
    ['a proxy answers with 503', page(503)],
  ])('a call that is unsafe to repeat is not retried if %s', async (_, step) => {
    server.play(step, rotated);
    expect(await failureOf(call(connect()))).toMatchObject({ code: 'answer_lost', retryable: false });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['startCheckout', (service: EncryptionService) => service.startCheckout()],
  ['rotateKey', (service: EncryptionService) => service.rotateKey(id)],
])('%s is not retried after 503 unavailable, because it may have taken effect', async (_, call) => {
  server.play(refuse(503, 'unavailable'));
  const error = await failureOf(call(connect()));
  expect(error).toMatchObject({ code: 'unavailable', retryable: false });
  expect(server.requests).toHaveLength(1);
});
