import fc from 'fast-check';
import { afterEach, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { CATALOGUE, ERROR_CODES } from '../../shared/errors.ts';
import { type Answer, list, outcome, send } from '../support/client.ts';
import { errorObject, read, vaultErrorObject } from '../support/objects.ts';
import { sendRaw } from '../support/raw.ts';
import { expectGatewayRefusal } from '../support/refusal.ts';
import { DEPLOYED } from '../support/stacks.ts';
import { ALL_TIERS, makeFirewall, makeTenant } from '../support/tenant.ts';

const stack = inject('stack');

/** Generates text of arbitrary UTF-16 code units, including unpaired surrogates. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0x7f)), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

/** JSON texts of values that a parser or a validator might misread. */
const trickyValue = fc.constantFrom(
  ...['null', 'true', '0', '-0', '1e400', '-1e-400', '123456789012345678901234567890', '""', '" "', '[]', '{}'],
  ...['"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"', '"__proto__"', '"constructor"', '"toString"', '"NaN"', '"null"'],
  ...['"AAAA"', '"AAAA="', '"====', '"AA\\u003d\\u003d"', '"wrapped"', '"127.0.0.1"', '["127.0.0.1"]', '["encrypt"]'],
  ...['{"__proto__":null}', '{"toJSON":1,"then":1,"valueOf":null}', '[[[[[[[[]]]]]]]]', '["__proto__"]'],
  `"${'A'.repeat(100_000)}"`,
  `[${'"x",'.repeat(20_000)}"x"]`,
);

/** Generates JSON nested deeply enough to overflow the stack of a recursive parser. */
const deepValue = fc
  .record({ depth: fc.integer({ min: 1, max: 60_000 }), isObject: fc.boolean() })
  .map(({ depth, isObject }) => {
    const levels = isObject ? Math.floor(depth / 4) : depth;
    return isObject ? `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}` : `${'['.repeat(levels)}${']'.repeat(levels)}`;
  });

function jsonText(ids: readonly string[]): fc.Arbitrary<string> {
  const knownId = fc.constantFrom(...ids).map((id) => JSON.stringify(id));
  return fc.oneof(
    { weight: 4, arbitrary: trickyValue },
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: anyText.map((text) => JSON.stringify(text)) },
    { weight: 2, arbitrary: knownId },
    { weight: 1, arbitrary: knownId.map((id) => `[${id}]`) },
    { weight: 1, arbitrary: deepValue },
  );
}

/** Generates a JSON object with some of the given fields, sometimes repeated, and some unknown fields. */
function bodyText(fields: readonly string[], ids: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fields, 'name') },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', '', 'length') },
    { weight: 1, arbitrary: anyText },
  );
  const member = fc.tuple(name, jsonText(ids)).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return fc.array(member, { maxLength: 8 }).map((members) => `{${members.join(',')}}`);
}

/** A valid value for each field, as JSON text. Without valid values, no request would get past the first check. */
const VALID: Readonly<Record<string, string>> = {
  tier: '"wrapped"',
  plaintext: '"AAAA"',
  ciphertext: '"AQAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"',
  wrapped: '"AQAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"',
  dek: '"AAAAAAAAAAAAAAAAAAAAAA=="',
  allowed_ips: '["192.0.2.1"]',
  allowed_actions: '["encrypt"]',
};

/** Generates a body in which one field has an arbitrary value and all other fields are valid. */
function nearlyValidText(fields: readonly string[], ids: readonly string[]): fc.Arbitrary<string> {
  return fc.record({ wrongField: fc.constantFrom(...fields), value: jsonText(ids), name: fc.uuid() }).map((chosen) => {
    const members = fields.flatMap((field) => {
      const good = field === 'name' ? JSON.stringify(chosen.name) : VALID[field];
      const value = field === chosen.wrongField ? chosen.value : good;
      return value === undefined ? [] : `${JSON.stringify(field)}:${value}`;
    });
    return `{${members.join(',')}}`;
  });
}

const BOM = new Uint8Array([0xef, 0xbb, 0xbf]);

/** Generates the bytes of a body: the text in UTF-8, or the text with an encoding error. */
function bodyBytes(json: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const utf8 = json.map((text) => Uint8Array.from(Buffer.from(text)));
  return fc.oneof(
    { weight: 6, arbitrary: utf8 },
    { weight: 1, arbitrary: utf8.map((bytes) => Uint8Array.from([...BOM, ...bytes.subarray(0, 4096)])) },
    { weight: 1, arbitrary: json.map((text) => Uint8Array.from(Buffer.from(text, 'utf16le'))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.tuple(utf8, fc.nat(), fc.integer({ min: 0x80, max: 0xff })).map(([bytes, where, byte]) => {
        const corrupted = Uint8Array.from(bytes);
        corrupted[where % Math.max(1, corrupted.length)] = byte;
        return corrupted;
      }),
    },
  );
}

const percentEncoded = (maxLength: number) =>
  fc
    .uint8Array({ maxLength })
    .map((bytes) => bytes.reduce((all, one) => `${all}%${one.toString(16).padStart(2, '0')}`, ''));

/** Generates a path segment to send in place of an id, percent-encoded or raw. */
function idText(ids: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: anyText.map((text) => encodeURIComponent(text.toWellFormed())) },
    { weight: 2, arbitrary: percentEncoded(30) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '..', '.', '%2e%2e', '*', 'x'.repeat(8_000), '__proto__'),
    },
    { weight: 1, arbitrary: fc.uuid().map((id) => `${id}%00`) },
  );
}

/** Generates query strings with known and unknown parameters. */
const queryText = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('since', 'until', 'limit', 'period', 'operation', 'result', 'lim%69t'),
        fc.stringMatching(/^[\w%.-]{0,8}$/),
      ),
      fc.oneof(
        fc.constantFrom(
          ...['1', '0', '1000', '1001', '-1', '1e3', '', 'encrypt', 'error'],
          ...['2026-10', '2026-13', '9999-12', '0000-01'],
        ),
        fc.constantFrom(
          '2026-10-01T00:00:00Z',
          '2026-10-01T00:00:00+23:59',
          '9999-12-31T23:59:59.999999-23:59',
          '0000-01-01T00:00:00Z',
        ),
        fc.date({ noInvalidDate: false }).map((date) => (Number.isNaN(date.getTime()) ? 'NaN' : date.toISOString())),
        percentEncoded(8),
      ),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

/** Generates header values, as Latin-1 text. */
const headerText = fc.oneof(
  fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,200}$/),
  fc.constantFrom(
    ...['', ' ', ',', '"', 'Bearer', 'Bearer ', 'bearer x', 'Basic eDp5', 'a'.repeat(15_000), 'a'.repeat(20_000)],
  ),
);

interface Target {
  readonly method: string;
  /** The route's path, with `{id}` in place of an id. */
  readonly path: string;
  /** The fields of the request body; empty if the route has no body. */
  readonly fields: readonly string[];
}

const operation = z.object({
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ schema: z.looseObject({ properties: z.looseObject({}).optional() }) })),
    })
    .optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

async function readTargets(): Promise<Target[]> {
  const { paths } = document.parse((await send('GET', `${stack.baseUrl}/v1/openapi.json`)).body);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      fields: Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
    })),
  );
}

/** Makes a tenant for a fuzz run. The requests may delete its objects, but cannot revoke the run's own credentials. */
async function makeSetup() {
  const tenant = await makeTenant(stack);
  const keys = await Promise.all(ALL_TIERS.map((tier) => tenant.createKey(tier)));
  const { id: apiKey } = await tenant.mint();
  const [container] = list(await tenant.console.send('GET', '/v1/containers'));
  return {
    targets: await readTargets(),
    api: tenant.api,
    session: tenant.console,
    ids: [...keys, apiKey, String(container?.id), await makeFirewall(tenant)],
  };
}

/** Codes that no fuzzed request may get: its own fault cannot cause them. */
const IMPOSSIBLE: readonly string[] = ['internal_error', 'ip_not_allowed', 'ops_cap_reached'];

/** Checks that an answer is a success, or a documented error in the standard error body. */
function expectValidAnswer(answer: Answer, request: string): void {
  const { status, headers, body } = answer;
  if (DEPLOYED && headers.get('x-request-id') === null) {
    expectGatewayRefusal(answer, status);
    return;
  }
  const requestId = headers.get('x-request-id');
  expect(requestId, request).toMatch(/^[\w.:-]{1,128}$/);
  if (status >= 200 && status < 300) return;
  expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  // If every item of a Transit batch failed, the answer has an error for each item.
  if (status === 400 && Object.hasOwn(Object(body), 'data')) return;
  const code = codeOf(answer, requestId);
  const allowed = ERROR_CODES.filter((one) => !IMPOSSIBLE.includes(one) && CATALOGUE[one].status === status);
  const isVaults = status === 403 && code === 'unauthorized';
  expect(isVaults ? [code] : allowed, `${request}: ${status} ${JSON.stringify(body)}`).toContain(code);
}

/** Returns the code of the service's own error body or of Vault's, which answers invalid credentials with `403`. */
function codeOf(answer: Answer, requestId: string | null): string {
  if (Object.hasOwn(Object(answer.body), 'errors'))
    return read(vaultErrorObject, answer).errors[0].split(': ')[0] ?? '';
  const refusal = read(errorObject, answer);
  expect(refusal.request_id).toBe(requestId);
  return refusal.error;
}

const PARALLEL_RUNS = 4;
let setup: Awaited<ReturnType<typeof makeSetup>>;
beforeAll(async () => {
  setup = await makeSetup();
});
afterEach(async () => {
  expect(outcome(await send('GET', `${stack.baseUrl}/health/ready`))).toBe('200');
});

/** Returns the path of a target with `id` inserted without URL encoding. */
function pathTo({ path }: Target, id: string): string {
  return path.replace(/\{(?:id|name)\}/, () => id);
}

/** Checks the answer to a request. `credential`: 0 is an API key, 1 a session, others what the route probably needs. */
async function sendRequest(
  target: Target,
  path: string,
  credential: number,
  extras: Parameters<typeof send>[2],
): Promise<void> {
  const isForSessions = !/^\/v1\/(keys|usage)/.test(target.path) || target.path.endsWith('/destroy');
  const likely = isForSessions ? setup.session : setup.api;
  const token = [setup.api.token, setup.session.token, undefined][credential] ?? likely.token;
  const url = `${stack.baseUrl}${path}`;
  const answer: Answer = await send(target.method, url, { ...extras, token });
  expectValidAnswer(answer, `${target.method} ${path}`);
}

/** Runs `attempt` with `numRuns` generated inputs, several in parallel. A failure prints the seed that repeats it. */
async function runMany<Input>(input: fc.Arbitrary<Input>, numRuns: number, attempt: (input: Input) => Promise<void>) {
  const some = { numRuns: numRuns / PARALLEL_RUNS, interruptAfterTimeLimit: 90_000 };
  const runs = Array.from({ length: PARALLEL_RUNS }, () => fc.assert(fc.asyncProperty(input, attempt), some));
  await Promise.all(runs);
}

const credential = fc.nat(9);
const json = { 'content-type': 'application/json' };

test('every fuzzed body (wrong types, repeated, unknown or nested fields, corrupted bytes) gets a valid answer', async () => {
  const withBody = setup.targets.filter(({ fields }) => fields.length > 0);
  expect(withBody.length).toBeGreaterThan(10);
  const requests = fc.constantFrom(...withBody).chain((target) =>
    fc.record({
      target: fc.constant(target),
      id: fc.constantFrom(...setup.ids),
      credential,
      raw: bodyBytes(
        fc.oneof(
          { weight: 6, arbitrary: nearlyValidText(target.fields, setup.ids) },
          { weight: 3, arbitrary: bodyText(target.fields, setup.ids) },
          { weight: 1, arbitrary: jsonText(setup.ids) },
        ),
      ),
    }),
  );
  await runMany(requests, 700, ({ target, id, credential, raw }) =>
    sendRequest(target, pathTo(target, id), credential, { raw, headers: json }),
  );
});

test('every fuzzed path and query (escapes, nulls, long, repeated or out-of-range values) gets a valid answer', async () => {
  const requests = fc.record({
    target: fc.constantFrom(...setup.targets),
    id: idText(setup.ids),
    query: queryText,
    credential,
  });
  await runMany(requests, 500, ({ target, id, query, credential }) => {
    const extras = target.method === 'GET' ? {} : { raw: '{}', headers: json };
    return sendRequest(target, `${pathTo(target, id)}?${query}`, credential, extras);
  });
});

test('every request with a fuzzed method, path and headers gets a valid answer', async () => {
  const requests = fc.record({
    target: fc.constantFrom(...setup.targets),
    method: fc.option(fc.constantFrom('PUT', 'OPTIONS', 'PROPFIND', 'get', 'HEAD2', 'M-SEARCH')),
    id: idText(setup.ids),
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
    body: fc.oneof(fc.constant('{}'), jsonText(setup.ids)).map((body) => body.slice(0, 1000)),
  });
  await runMany(requests, 500, async ({ target, method, id, tail, headers, body }) => {
    const start = `${method ?? target.method} ${pathTo(target, id)}${tail}`;
    const bytes = Buffer.from(body).toString('latin1');
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const given = [`authorization: Bearer ${setup.api.token}`, `content-length: ${bytes.length}`, ...lines];
    expectValidAnswer(await sendRaw(stack, start, given, bytes), start);
  });
});
