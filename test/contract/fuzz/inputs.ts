import fc from 'fast-check';

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

export function jsonText(ids: readonly string[]): fc.Arbitrary<string> {
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
export function bodyText(fields: readonly string[], ids: readonly string[]): fc.Arbitrary<string> {
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
export function nearlyValidText(fields: readonly string[], ids: readonly string[]): fc.Arbitrary<string> {
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
export function bodyBytes(json: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
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

/** Generates a path segment to send in place of an id, percent-encoded or raw. */
export function idText(ids: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: anyText.map((text) => encodeURIComponent(text.toWellFormed())) },
    {
      weight: 2,
      arbitrary: fc
        .uint8Array({ maxLength: 30 })
        .map((bytes) => bytes.reduce((all, one) => `${all}%${one.toString(16).padStart(2, '0')}`, '')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '..', '.', '%2e%2e', '*', 'x'.repeat(8_000), '__proto__'),
    },
    { weight: 1, arbitrary: fc.uuid().map((id) => `${id}%00`) },
  );
}

/** Generates query strings with known and unknown parameters. */
export const queryText = fc
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
        fc
          .uint8Array({ maxLength: 8 })
          .map((bytes) => bytes.reduce((all, one) => `${all}%${one.toString(16).padStart(2, '0')}`, '')),
      ),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

/** Generates header values, as Latin-1 text. */
export const headerText = fc.oneof(
  fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,200}$/),
  fc.constantFrom(
    ...['', ' ', ',', '"', 'Bearer', 'Bearer ', 'bearer x', 'Basic eDp5', 'a'.repeat(15_000), 'a'.repeat(20_000)],
  ),
);
