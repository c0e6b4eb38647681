import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../shared/errors.ts';
import { sendError, sendReply } from '../../../shared/http/respond.ts';
import type { Reply } from '../../../shared/http/route.ts';
import { withServer } from './exchange.ts';

function answered(reply: Reply | ApiError, method = 'GET'): Promise<{ response: Response; text: string }> {
  return withServer(
    (message, response) => {
      if (reply instanceof ApiError) sendError(message, response, 'request-1', reply);
      else sendReply(message, response, 'request-1', reply);
    },
    async (port) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method });
      return { response, text: await response.text() };
    },
  );
}

describe('a reply', () => {
  test('is JSON of a stated length, carries the request’s id and is not to be stored', async () => {
    const { response, text } = await answered({ status: 201, body: { name: 'é' } });
    expect(response.status).toBe(201);
    expect(text).toBe('{"name":"é"}');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-length': '13',
      'x-request-id': 'request-1',
      'cache-control': 'no-store',
    });
  });

  test('without a body has no content type', async () => {
    const { response, text } = await answered({ status: 204 });
    expect([response.status, text, response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(response.headers.get('x-request-id')).toBe('request-1');
  });

  test.each([[[]], [{}], [null], [0], [false], ['']])('%j is a body', async (body) => {
    expect((await answered({ status: 200, body })).text).toBe(JSON.stringify(body));
  });

  test.each([
    [{ ciphertext: 'ab+/cd==' }],
    [{ wrapped: 'AA==', dek: 'AAAA' }],
    [{ wrapped: 'AA==', dek: undefined }],
    [{ plaintext: '' }],
  ])('of binary fields is as JSON.stringify writes it: %j', async (binary) => {
    const { response, text } = await answered({ status: 200, binary });
    expect(text).toBe(JSON.stringify(binary));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length')).toBe(String(text.length));
  });

  test('to HEAD is the one to GET without its body', async () => {
    const reply = { status: 200, body: { a: 1 } };
    const [head, get] = [await answered(reply, 'HEAD'), await answered(reply)];
    expect(head.text).toBe('');
    for (const name of ['content-type', 'content-length', 'x-request-id', 'cache-control']) {
      expect(head.response.headers.get(name)).toBe(get.response.headers.get(name));
    }
  });
});

describe('an error', () => {
  test('is the one error body of the service, with the status of its code', async () => {
    const { response, text } = await answered(new ApiError('key_exists', 'taken'));
    expect(response.status).toBe(409);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toBe('request-1');
    expect(JSON.parse(text)).toEqual({ error: 'key_exists', message: 'taken', request_id: 'request-1' });
  });

  test('405 names the methods that the path has', async () => {
    const error = new ApiError('method_not_allowed', 'method not allowed', { allow: ['GET', 'HEAD', 'POST'] });
    const { response } = await answered(error);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('closes the connection where the body was not read to its end, and only there', async () => {
    const ending = async (details: { closes?: true }) => {
      const { response } = await answered(new ApiError('payload_too_large', 'too large', details), 'POST');
      return [response.status, response.headers.get('connection')];
    };
    expect(await ending({ closes: true })).toEqual([413, 'close']);
    expect(await ending({})).toEqual([413, 'keep-alive']);
  });

  test('says nothing of when to come again: no Retry-After, no rate-limit headers', async () => {
    for (const code of ['rate_limited', 'unavailable'] as const) {
      const { response } = await answered(new ApiError(code, 'later'));
      expect([...response.headers.keys()].filter((name) => /retry|limit/.test(name))).toEqual([]);
    }
  });
});
