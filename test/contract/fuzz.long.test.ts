import fc from 'fast-check';
import { afterEach, beforeAll, expect, inject, test } from 'vitest';
import { type Answer, outcome, send } from '../support/client.ts';
import { patiently } from '../support/patience.ts';
import { sendRaw } from '../support/raw.ts';
import { bodyBytes, bodyText, headerText, idText, jsonText, nearlyGoodText, queryText } from './fuzz/inputs.ts';
import { makeRange, type Range, type Target } from './fuzz/targets.ts';
import { expectDecent } from './fuzz/verdict.ts';

const stack = inject('stack');
const timeout = 120_000;
const LANES = 4;
let range: Range;
beforeAll(async () => {
  range = await makeRange(stack);
});
afterEach(async () => {
  expect(outcome(await send('GET', `${stack.baseUrl}/health/ready`))).toBe('200');
});

/** Returns the path of a target with `id` inserted without URL encoding. */
function pathTo({ path }: Target, id: string): string {
  return path.replace(/\{(?:id|name)\}/, () => id);
}

/**
 * Sends a request and checks that the answer is valid. `credential` 0 means an API key and 1 means a session. Any other
 * number means the credential that the route probably needs.
 */
async function fire(
  target: Target,
  path: string,
  credential: number,
  extras: Parameters<typeof send>[2],
): Promise<void> {
  const isForSessions = !/^\/v1\/(keys|usage)/.test(target.path) || target.path.endsWith('/destroy');
  const likely = isForSessions ? range.session : range.api;
  const token = [range.api.token, range.session.token, undefined][credential] ?? likely.token;
  const url = `${stack.baseUrl}${path}`;
  const answer: Answer = await patiently(() => send(target.method, url, { ...extras, token }));
  expectDecent(answer, `${target.method} ${path}`);
}

/** Runs `attempt` with `numRuns` generated inputs, several in parallel. A failure prints the seed that repeats it. */
async function runMany<Input>(input: fc.Arbitrary<Input>, numRuns: number, attempt: (input: Input) => Promise<void>) {
  const some = { numRuns: numRuns / LANES, interruptAfterTimeLimit: 90_000 };
  const lanes = Array.from({ length: LANES }, () => fc.assert(fc.asyncProperty(input, attempt), some));
  await Promise.all(lanes);
}

const credential = fc.nat(9);
const json = { 'content-type': 'application/json' };

test('every fuzzed body (wrong types, repeated, unknown or nested fields, corrupted bytes) gets a valid answer', {
  timeout,
}, async () => {
  const withBody = range.targets.filter(({ fields }) => fields.length > 0);
  expect(withBody.length).toBeGreaterThan(10);
  const requests = fc.constantFrom(...withBody).chain((target) =>
    fc.record({
      target: fc.constant(target),
      id: fc.constantFrom(...range.ids),
      credential,
      raw: bodyBytes(
        fc.oneof(
          { weight: 6, arbitrary: nearlyGoodText(target.fields, range.ids) },
          { weight: 3, arbitrary: bodyText(target.fields, range.ids) },
          { weight: 1, arbitrary: jsonText(range.ids) },
        ),
      ),
    }),
  );
  await runMany(requests, 700, ({ target, id, credential, raw }) =>
    fire(target, pathTo(target, id), credential, { raw, headers: json }),
  );
});

test('every fuzzed path and query (escapes, nulls, long, repeated or out-of-range values) gets a valid answer', {
  timeout,
}, async () => {
  const requests = fc.record({
    target: fc.constantFrom(...range.targets),
    id: idText(range.ids),
    query: queryText,
    credential,
  });
  await runMany(requests, 500, ({ target, id, query, credential }) => {
    const extras = target.method === 'GET' ? {} : { raw: '{}', headers: json };
    return fire(target, `${pathTo(target, id)}?${query}`, credential, extras);
  });
});

test('every request with a fuzzed method, path and headers gets a valid answer', { timeout }, async () => {
  const requests = fc.record({
    target: fc.constantFrom(...range.targets),
    method: fc.option(fc.constantFrom('PUT', 'OPTIONS', 'PROPFIND', 'get', 'HEAD2', 'M-SEARCH')),
    id: idText(range.ids),
    tail: fc.constantFrom('', '', '', '', '', '', '/', '//', '?', '#x', '/..', '%2f', ';a=b', '?%'),
    headers: fc.array(
      fc.tuple(
        fc.constantFrom(
          ...['authorization', 'content-type', 'x-request-id', 'content-encoding', 'x-forwarded-for', 'origin'],
          ...['cookie', 'expect', 'stripe-signature', 'accept', 'x-http-method-override', 'transfer-encoding'],
        ),
        headerText,
      ),
      { maxLength: 4 },
    ),
    // The body is short: if the service refuses the headers, a longer body can reset the connection before the answer
    // is read.
    body: fc.oneof(fc.constant('{}'), jsonText(range.ids)).map((body) => body.slice(0, 1000)),
  });
  await runMany(requests, 500, async ({ target, method, id, tail, headers, body }) => {
    const start = `${method ?? target.method} ${pathTo(target, id)}${tail}`;
    const bytes = Buffer.from(body).toString('latin1');
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const given = [`authorization: Bearer ${range.api.token}`, `content-length: ${bytes.length}`, ...lines];
    expectDecent(await patiently(() => sendRaw(stack, start, given, bytes)), start);
  });
});
