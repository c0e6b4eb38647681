import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseShape, readBytes } from '../../../shared/http/body.ts';
import { nothing } from '../../../shared/http/input.ts';
import { asRequest, JSON_TYPE, malformed, parse, readJson, readSent, refusal } from './exchange.ts';

const LIMIT = 131_072;
const unsupported = refusal('unsupported_media_type', 'needs a JSON content type');
const tooLarge = refusal('payload_too_large', /^length limit exceeded/);

/** A JSON body of exactly `bytes` bytes. */
function bodyOf(bytes: number): string {
  const frame = '{"value":""}';
  return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
}

test.each([
  ...['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'],
  ...['application/json ; version=1', 'Application/JSON', 'application/problem+json', 'application/ld+JSON'],
  ...['application/vnd.api+json; profile="x"', 'application/a.b-c_d+json'],
])('the content type %s is accepted', async (type) => {
  expect(await readJson({ headers: { 'content-type': type }, body: ['{"value":"a"}'] })).toEqual({ value: 'a' });
});

test.each([
  ...['', 'text/json', 'text/plain', 'text/plain; charset=application/json', 'application/x-www-form-urlencoded'],
  ...['multipart/form-data; boundary=x', 'application/octet-stream', 'application/x-json', 'application/jsonp'],
  ...['application/json5', 'application/json-patch', 'application/json+xml', 'application/problem+jsonp'],
  ...['application/problem +json', 'application/json, text/plain', 'application', 'json', 'image/vnd.x+json'],
  ...['text/x+json', 'xapplication/json'],
])('the content type "%s" is refused', async (type) => {
  await expect(readJson({ headers: { 'content-type': type }, body: ['{"value":"a"}'] })).rejects.toEqual(unsupported);
});

test('a request without a content type is refused, with or without a body', async () => {
  await expect(readJson({ body: ['{"value":"a"}'] })).rejects.toEqual(unsupported);
  await expect(readJson({})).rejects.toEqual(unsupported);
});

test('a request with two content types is refused', async () => {
  const headers = ['host', 'localhost', 'content-type', 'application/json', 'content-type', 'application/json'];
  await expect(readJson({ headers, body: ['{"value":"a"}'] })).rejects.toEqual(unsupported);
});

test.each(['gzip', 'deflate', 'br', 'identity, gzip'])(
  'a body encoded with %s is refused, even if its content type is JSON',
  async (encoding) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    await expect(readJson({ headers, body: ['{"value":"a"}'] })).rejects.toEqual(unsupported);
  },
);

test('the content type is checked before the body is read', async () => {
  const headers = { 'content-type': 'text/plain' };
  await expect(readJson({ headers, unfinished: true })).rejects.toEqual(unsupported);
  await expect(readJson({ headers: { ...headers, 'content-length': LIMIT + 1 } })).rejects.toEqual(unsupported);
  await expect(readJson({ headers, body: ['{'] })).rejects.toEqual(unsupported);
});

const largest = bodyOf(LIMIT);

test('a body of 131,072 bytes is accepted, with a content length or in chunks', async () => {
  const headers = { ...JSON_TYPE, 'content-length': LIMIT };
  expect((await readJson({ headers, body: [largest] })).value).toHaveLength(LIMIT - 12);
  expect((await parse(largest.slice(0, 70_000), largest.slice(70_000))).value).toHaveLength(LIMIT - 12);
});

test('a content length of 131,073 bytes is refused before the body arrives', async () => {
  const headers = { ...JSON_TYPE, 'content-length': LIMIT + 1 };
  await expect(readJson({ headers, unfinished: true })).rejects.toEqual(tooLarge);
});

test('a chunked body is refused at 131,073 bytes, before it ends', async () => {
  const body = [largest, ' '];
  await expect(readJson({ headers: JSON_TYPE, body, unfinished: true })).rejects.toEqual(tooLarge);
});

test('white space counts towards the size limit', async () => {
  await expect(parse(' '.repeat(LIMIT), '{"value":"a"}')).rejects.toEqual(tooLarge);
  expect(await parse(' '.repeat(LIMIT - 13), '{"value":"a"}')).toEqual({ value: 'a' });
});

test('the size limit counts bytes, not characters', async () => {
  const twoBytesEach = `{"value":"${'é'.repeat(65_530)}"}`;
  expect(Buffer.byteLength(twoBytesEach)).toBe(LIMIT);
  expect((await parse(twoBytesEach)).value).toHaveLength(65_530);
  await expect(parse(`{"value":"${'é'.repeat(65_531)}"}`)).rejects.toEqual(tooLarge);
});

test('the size of a body is checked before its JSON', async () => {
  await expect(parse('{'.repeat(LIMIT + 1))).rejects.toEqual(tooLarge);
});

test('a body whose connection breaks while the body is read is refused', async () => {
  const sent = { headers: { 'content-length': 100 }, body: ['{"value":'], unfinished: true };
  const reading = readSent(sent, (message, hangUp) => {
    const bytes = readBytes(message, LIMIT);
    message.once('data', hangUp);
    return bytes;
  });
  await expect(reading).rejects.toEqual(malformed);
});

test('a body whose connection broke before the body is read is refused', async () => {
  const sent = { headers: { 'content-length': 100 }, body: ['{"value":'], unfinished: true };
  const reading = readSent(sent, async (message, hangUp) => {
    const closed = new Promise((resolve) => message.once('close', resolve));
    hangUp();
    await closed;
    return readBytes(message, LIMIT);
  });
  await expect(reading).rejects.toEqual(malformed);
});

describe('a late body', () => {
  const late = expect.objectContaining({
    code: 'invalid_request',
    message: 'invalid request body: it did not arrive in time',
    details: { closes: true },
  });
  const DEADLINE_MS = 20;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('a body that does not arrive in time is refused, and the connection must be closed', async () => {
    for (const sent of [{ headers: { 'content-length': 100 }, body: ['{"value":'] }, {}]) {
      const reading = readSent({ ...sent, unfinished: true }, (message) => {
        const bytes = readBytes(message, LIMIT, DEADLINE_MS);
        vi.advanceTimersByTime(DEADLINE_MS);
        return bytes;
      });
      await expect(reading).rejects.toEqual(late);
    }
  });

  test('a body that keeps arriving in small pieces is refused when its time limit is reached', async () => {
    const dripping = readSent({ unfinished: true }, async (message) => {
      const bytes = readBytes(message, LIMIT, DEADLINE_MS);
      for (let passedMs = 0; passedMs < DEADLINE_MS; passedMs += 5) {
        message.push(' ');
        await turn();
        vi.advanceTimersByTime(5);
      }
      return bytes;
    });
    await expect(dripping).rejects.toEqual(late);
  });
});

test('a body that arrived together with the request’s head is read without waiting', async () => {
  const received = await readSent({ body: ['{"value":', '"a"}'] }, async (message) => {
    while (!message.complete) await turn();
    return readBytes(message, LIMIT, 0);
  });
  expect(received.toString()).toBe('{"value":"a"}');
});

test('a route without input ignores any body and content type', async () => {
  const bad = { headers: { 'content-type': 'text/plain' }, body: ['{'] };
  const tooLong = { headers: { 'content-length': LIMIT + 1 }, unfinished: true };
  for (const sent of [{}, bad, tooLong]) {
    expect(await readSent(sent, (message) => nothing.read(asRequest(message)))).toBeUndefined();
  }
});

test('the raw bytes of a body are read up to the limit', async () => {
  const bytes = Buffer.from([0, 0xff, 10, 13, 0]);
  expect(
    await readSent({ body: [bytes.subarray(0, 2), bytes.subarray(2)] }, (message) => readBytes(message, 5)),
  ).toEqual(bytes);
  expect(await readSent({}, (message) => readBytes(message, 5))).toHaveLength(0);
  await expect(readSent({ body: [bytes] }, (message) => readBytes(message, 4))).rejects.toEqual(tooLarge);
});

test('a JSON body is read across chunks, even if a chunk ends inside a character', async () => {
  const bytes = Buffer.from('{"value":"é€😀"}');
  for (let cut = 1; cut < bytes.length; cut += 3) {
    expect(await parse(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual({ value: 'é€😀' });
  }
});

test('unknown fields are ignored, and optional fields may be absent or null', async () => {
  expect(await parse('{"value":"a","addd":"b","x":{"y":[1]}}')).toEqual({ value: 'a' });
  expect(await parse('{"value":"a","note":null}')).toEqual({ value: 'a', note: null });
});

test.each([
  ...['', ' \n', 'value=a', '{"value":"a"', '{"value":"a"}{"value":"b"}', '{"value":"a",}', "{'value':'a'}"],
  ...['{"value":"a"} // a', '{"value":NaN}', '{"value":"a\u0001"}', '\ufeff{"value":"a"}', '[{"value":"a"}]'],
  ...['"value"', '7', 'null', '{}', '{"value":7}', '{"value":null}', '{"value":"a","note":[]}'],
  '{"__proto__":{"value":"a"}}',
])('a malformed body is refused: %j', async (body) => {
  await expect(parse(body)).rejects.toEqual(malformed);
});

test('brackets nested as deep as the size limit allows, or never closed, are refused', async () => {
  await expect(parse('['.repeat(65_536) + ']'.repeat(65_536))).rejects.toEqual(malformed);
  await expect(parse('['.repeat(131_072))).rejects.toEqual(malformed);
});

test.each([
  ['a byte that starts no character', [0xff]],
  ['a truncated character', [0xc3]],
  ['an overlong form', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['Latin-1', [0xe9]],
])('a body that is not UTF-8 is refused: %s', async (_, bytes) => {
  await expect(parse('{"value":"', Buffer.from(bytes), '"}')).rejects.toEqual(malformed);
});

test('a body in UTF-16 is refused', async () => {
  await expect(parse(Buffer.from('{"value":"a"}', 'utf16le'))).rejects.toEqual(malformed);
});

test.each([
  ['', 'it is empty'],
  ['{', 'it is not JSON encoded as UTF-8'],
  ['[]', 'it must be an object'],
  ['{}', 'value is required'],
  ['{"value":7}', 'value must be a string'],
  ['{"value":null}', 'value must be a string'],
  ['{"value":"a","note":[]}', 'note must be a string'],
])('the body %j is refused with this message: %s', async (body, message) => {
  await expect(parse(body)).rejects.toEqual(refusal('invalid_request', `^invalid request body: ${message}$`));
});

test.each([
  [{ names: 'a' }, 'names must be an array'],
  [{ names: ['a', 7] }, 'names.1 must be a string'],
  [{ names: [], colour: 'red' }, 'it has the unknown field "colour"'],
  [{ names: [], size: 3 }, 'size must be 1 or 2'],
  [{ names: [], one: 2 }, 'one is not valid'],
])('the body %j, which has the wrong shape, is refused with this message: %s', (body, message) => {
  const size = z.literal([1, 2], 'must be 1 or 2').optional();
  const shape = z.strictObject({ names: z.array(z.string()), size, one: z.literal(1).optional() });
  expect(() => parseShape(body, shape)).toThrow(`invalid request body: ${message}`);
});

test.each([
  ...['{"value":SECRET}', 'SECRET', '{"value":"SECRET"', '{"value":["SECRET"]}', '{"value":{"SECRET":1}}'],
  ...['{"value":7,"SECRET":"SECRET"}', '{"value":"a","note":{"SECRET":"SECRET"}}', '["SECRET"]', '"SECRET"'],
])('the error for a malformed body does not quote the body: %s', async (body) => {
  const refused = parse(body);
  await expect(refused).rejects.toEqual(malformed);
  await expect(refused).rejects.not.toThrow('SECRET');
});
