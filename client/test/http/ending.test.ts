import { afterEach, describe, expect, test, vi } from 'vitest';
import { EncryptionService } from '../../src/service.ts';
import { failureOf } from '../support/failure-of.ts';
import { API_KEY, KEY, KEY_JSON } from '../support/objects.ts';
import { answer, refuse, scriptedServer, silence } from '../support/scripted-server.ts';

const server = scriptedServer();
const connect = (options: { timeoutMs?: number; maxRetries?: number } = {}) =>
  new EncryptionService({ url: server.url, apiKey: API_KEY, ...options });

afterEach(() => vi.restoreAllMocks());

describe('the deadline', () => {
  test('the deadline ends a call that is not answered', async () => {
    server.play(silence);
    const send = vi.spyOn(globalThis, 'fetch');
    const error = await failureOf(connect({ timeoutMs: 50 }).getKey(KEY.id));
    expect(error).toMatchObject({ code: 'deadline_exceeded', status: undefined, retryable: true });
    expect(error.requestId).toBe(new Headers(send.mock.calls[0]?.[1]?.headers).get('x-request-id'));
  });

  test('the deadline of a call takes precedence over the deadline of the service object', async () => {
    server.play(silence);
    const call = connect({ timeoutMs: 2 ** 40 }).getKey(KEY.id, { timeoutMs: 50 });
    expect(await failureOf(call)).toMatchObject({ code: 'deadline_exceeded' });
  });

  test('the deadline covers all attempts, and a call ends with its last error if the next pause would exceed the deadline', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    server.play(refuse(503, 'unavailable'));
    const error = await failureOf(connect({ timeoutMs: 2_900, maxRetries: 1_000 }).getKey(KEY.id));
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    // The pauses take about 200, 400, 800 and 1600 milliseconds. The fourth pause would end after the deadline.
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test('a rotation that exceeds the deadline is not retryable, because the service may have rotated the key', async () => {
    server.play(silence);
    const error = await failureOf(connect({ timeoutMs: 50 }).rotateKey(KEY.id));
    expect(error).toMatchObject({ code: 'deadline_exceeded', retryable: false });
  });

  test('the deadline includes the wait for the access token', async () => {
    const service = new EncryptionService({
      url: server.url,
      accessToken: () => new Promise(() => undefined),
      timeoutMs: 50,
    });
    expect(await failureOf(service.listKeys())).toMatchObject({ code: 'deadline_exceeded' });
    expect(server.requests).toEqual([]);
  });
});

describe('an aborted signal', () => {
  test('a call with an already aborted signal fails without sending a request', async () => {
    const error = await failureOf(connect().getKey(KEY.id, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted', retryable: false });
    expect(server.requests).toEqual([]);
  });

  test('an aborted signal ends a call that waits for its answer', async () => {
    const controller = new AbortController();
    server.play(() => controller.abort());
    const error = await failureOf(connect().getKey(KEY.id, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  test('an aborted signal ends a call in the pause before a retry', async () => {
    const controller = new AbortController();
    // The client draws the length of the pause just before the pause begins.
    vi.spyOn(Math, 'random').mockImplementation(() => {
      setImmediate(() => controller.abort());
      return 0.999;
    });
    server.play(refuse(503, 'unavailable'));
    const error = await failureOf(connect().getKey(KEY.id, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  test('an aborted signal ends the reading of a list between two pages', async () => {
    const controller = new AbortController();
    server.play(answer(200, [], { link: '</v1/audit?cursor=a>; rel="next"' }), (response, request) => {
      controller.abort();
      answer(200, [])(response, request);
    });
    const all = Array.fromAsync(connect().readAudit({}, { signal: controller.signal }));
    expect(await failureOf(all)).toMatchObject({ code: 'aborted' });
  });

  test.each([
    ['before a call starts', true],
    ['during a call', false],
  ])('if a signal aborts %s, the signal’s reason is the cause of the error', async (_, isEarly) => {
    const controller = new AbortController();
    if (isEarly) controller.abort('closing');
    server.play(() => controller.abort('closing'));
    const { signal } = controller;
    expect(await failureOf(connect().getKey(KEY.id, { signal }))).toHaveProperty('cause', 'closing');
  });

  test('a call that has ended leaves no listener on the signal', async () => {
    server.play(answer(200, KEY_JSON));
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await connect().getKey(KEY.id, { signal });
    expect(added).toHaveBeenCalled();
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});
