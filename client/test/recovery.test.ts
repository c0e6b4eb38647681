import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EncryptionService } from '../src/service.ts';
import { failureOf } from './support/failure-of.ts';
import { API_KEY, KEY, KEY_JSON } from './support/objects.ts';
import { answer, lose, type ReceivedRequest, refuse, type Step, scriptedServer } from './support/scripted-server.ts';

const server = scriptedServer();
const connect = () => new EncryptionService({ url: server.url, apiKey: API_KEY, maxRetries: 3 });

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

const calls = () => server.requests.map(({ call }) => call.replace(/\?.*/, ''));
const requestIdOf = (requests: readonly ReceivedRequest[]) => requests[0]?.headers['x-request-id'];

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
const byThis = madeBy(() => requestIdOf(server.requests));
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
    server.play(
      lose,
      answer(200, [KEY_JSON]),
      byAnother,
      refuse(409, 'key_exists'),
      answer(200, [KEY_JSON]),
      byAnother,
    );
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
    expect(error).toMatchObject({ code: 'answer_lost', requestId: requestIdOf(server.requests) });
    expect(error.cause).toMatchObject({ code: 'unauthorized' });
  });
});

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
    created_at: '2026-11-20T10:11:12.123456Z',
    updated_at: '2026-11-20T10:11:12.123456Z',
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

const CREATIONS: Record<string, (service: EncryptionService) => Promise<unknown>> = {
  createKey: (service) => service.createKey(WANTED),
  createApiKey: (service) => service.createApiKey({ name: 'app' }),
  createContainer: (service) => service.createContainer({ name: 'eu' }),
  createFirewall: (service) => service.createFirewall({ name: 'office', allowed_ips: [], container_id: KEY.id }),
};
const none = answer(200, []);

describe.each(Object.entries(CREATIONS))('%s without an answer', (_, create) => {
  test.each([
    ['every answer is lost', [lose, none, lose]],
    ['the lookup is lost too', [lose]],
    ['the lookup fails', [lose, refuse(503, 'unavailable')]],
    ['a later attempt is refused for a moment', [lose, none, refuse(503, 'unavailable')]],
  ])(
    'if %s, the error is answer_lost and not retryable, because a repetition could create another',
    async (_, steps) => {
      server.play(...steps);
      const error = await failureOf(create(connect()));
      expect(error).toMatchObject({ code: 'answer_lost', retryable: false, requestId: requestIdOf(server.requests) });
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

describe('a removal without an answer', () => {
  const removals = {
    destroyKey: (service: EncryptionService) => service.destroyKey(KEY.id),
    removeMember: (service: EncryptionService) => service.removeMember(KEY.id),
    revokeInvitation: (service: EncryptionService) => service.revokeInvitation(KEY.id),
    revokeApiKey: (service: EncryptionService) => service.revokeApiKey(KEY.id),
    deleteContainer: (service: EncryptionService) => service.deleteContainer(KEY.id),
    deleteFirewall: (service: EncryptionService) => service.deleteFirewall(KEY.id),
  };

  test.each(Object.entries(removals))('after a lost answer, %s succeeds if the object is gone', async (_, remove) => {
    server.play(lose, refuse(404, 'not_found'));
    await expect(remove(connect())).resolves.toBeUndefined();
    server.play(refuse(404, 'not_found'));
    expect(await failureOf(remove(connect()))).toMatchObject({ code: 'not_found' });
  });
});
