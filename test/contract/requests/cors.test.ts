import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { consoleOriginOf, portsOf } from '../../../emulators/stack/ports.ts';
import { fillPath } from '../../support/cases.ts';
import { sendRaw } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const CONSOLE = consoleOriginOf(portsOf(stack));
const { port: PORT } = new URL(CONSOLE);
const OTHER_ORIGINS = [
  `http://localhost:${Number(PORT) + 1}`,
  'http://localhost',
  `https://localhost:${PORT}`,
  `http://127.0.0.1:${PORT}`,
  `http://localhost:${PORT}.example.com`,
  'http://example.com',
  `http://localhost:${PORT}/`,
  `HTTP://LOCALHOST:${PORT}`,
  'null',
  '*',
];

const words = (header: string | null) => header?.split(/\s*,\s*/).sort();

function preflight(path: string, origin: string, method: string) {
  const target = fillPath(path, randomUUID());
  return sendRaw(stack, `OPTIONS ${target}`, [`origin: ${origin}`, `access-control-request-method: ${method}`]);
}

test('a preflight from the console’s origin allows the headers of requests, without credentials', async () => {
  const { headers, text } = await preflight('/v1/keys', CONSOLE, 'GET');
  expect(text).toBe('');
  expect(words(headers.get('access-control-allow-headers'))).toEqual(
    expect.arrayContaining(['authorization', 'content-type', 'x-request-id']),
  );
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test.each(OTHER_ORIGINS)('a preflight from the origin %s is refused with 405', async (origin) => {
  const answer = await preflight('/v1/keys', origin, 'GET');
  expectRefusal(answer, '405 method_not_allowed');
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('an OPTIONS request from the console that is not a preflight is refused with 405', async () => {
  expectRefusal(await sendRaw(stack, 'OPTIONS /v1/keys', [`origin: ${CONSOLE}`]), '405 method_not_allowed');
});

test('a preflight for an unknown path is refused with 404', async () => {
  expectRefusal(await preflight('/v1/nothing', CONSOLE, 'GET'), '404 not_found');
});

test.each([
  ['200', 'GET /v1/keys', 'with'],
  ['401', 'GET /v1/keys', 'without'],
  ['404', 'GET /v1/nothing', 'without'],
  ['404', 'GET /v1/keys/{id}', 'with'],
  ['405', 'PUT /v1/keys', 'without'],
  ['415', 'POST /v1/keys', 'with'],
])('only the console’s origin may read the answer %s to %s %s a credential', async (status, call, credential) => {
  const start = fillPath(call, randomUUID());
  const { token } = (await makeTenant(stack)).console;
  const own = credential === 'with' ? [`authorization: Bearer ${token}`] : [];
  const answer = await sendRaw(stack, start, [...own, `origin: ${CONSOLE}`]);
  expect(String(answer.status)).toBe(status);
  expect(answer.headers.get('access-control-allow-origin')).toBe(CONSOLE);
  expect(words(answer.headers.get('access-control-expose-headers'))).toEqual(['date', 'link', 'x-request-id']);
  expect(words(answer.headers.get('vary')?.toLowerCase() ?? null)).toContain('origin');
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  for (const origin of OTHER_ORIGINS) {
    const other = await sendRaw(stack, start, [...own, `origin: ${origin}`]);
    expect(String(other.status)).toBe(status);
    expect([...other.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});
