import { expect, test } from 'vitest';
import { ApiError } from '../../../shared/errors.ts';
import { sendError, sendReply } from '../../../shared/http/respond.ts';
import type { Reply } from '../../../shared/http/route.ts';
import { withServer } from './exchange.ts';

function respond(reply: Reply | ApiError, method = 'GET'): Promise<{ response: Response; text: string }> {
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

test('a reply is JSON with its length and the request id, and must not be stored', async () => {
  const { response, text } = await respond({ status: 201, body: { name: 'é' } });
  expect(response.status).toBe(201);
  expect(text).toBe('{"name":"é"}');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json',
    'content-length': '13',
    'x-request-id': 'request-1',
    'cache-control': 'no-store',
  });
});

test('a reply without a body has no content type', async () => {
  const { response, text } = await respond({ status: 204 });
  expect([response.status, text, response.headers.get('content-type')]).toEqual([204, '', null]);
  expect(response.headers.get('x-request-id')).toBe('request-1');
});

test.each([[[]], [{}], [null], [0], [false], ['']])('a reply with the JSON value %j has a body', async (body) => {
  expect((await respond({ status: 200, body })).text).toBe(JSON.stringify(body));
});

test.each([
  [{ ciphertext: 'ab+/cd==' }],
  [{ wrapped: 'AA==', dek: 'AAAA' }],
  [{ wrapped: 'AA==', dek: undefined }],
  [{ plaintext: '' }],
])('binary fields are written as JSON.stringify writes them: %j', async (binary) => {
  const { response, text } = await respond({ status: 200, binary });
  expect(text).toBe(JSON.stringify(binary));
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('content-length')).toBe(String(text.length));
});

test('the reply to HEAD is the reply to GET without its body', async () => {
  const reply = { status: 200, body: { a: 1 } };
  const [head, get] = [await respond(reply, 'HEAD'), await respond(reply)];
  expect(head.text).toBe('');
  for (const name of ['content-type', 'content-length', 'x-request-id', 'cache-control']) {
    expect(head.response.headers.get(name)).toBe(get.response.headers.get(name));
  }
});

test('an error reply has the service’s error body and the status of its error code', async () => {
  const { response, text } = await respond(new ApiError('key_exists', 'taken'));
  expect(response.status).toBe(409);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-request-id')).toBe('request-1');
  expect(JSON.parse(text)).toEqual({ error: 'key_exists', message: 'taken', request_id: 'request-1' });
});

test('a 405 reply names the methods of the path', async () => {
  const error = new ApiError('method_not_allowed', 'method not allowed', { allow: ['GET', 'HEAD', 'POST'] });
  const { response } = await respond(error);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});

test('an error reply closes the connection only if the request’s body was not read to its end', async () => {
  const ending = async (details: { closes?: true }) => {
    const { response } = await respond(new ApiError('payload_too_large', 'too large', details), 'POST');
    return [response.status, response.headers.get('connection')];
  };
  expect(await ending({ closes: true })).toEqual([413, 'close']);
  expect(await ending({})).toEqual([413, 'keep-alive']);
});

test('an error reply has no Retry-After and no rate-limit headers', async () => {
  for (const code of ['rate_limited', 'unavailable'] as const) {
    const { response } = await respond(new ApiError(code, 'later'));
    expect([...response.headers.keys()].filter((name) => /retry|limit/.test(name))).toEqual([]);
  }
});
