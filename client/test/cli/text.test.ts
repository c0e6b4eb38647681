import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { list, table } from '../../src/cli/columns.ts';
import { csv } from '../../src/cli/csv.ts';
import { errorLine, explain, failureOf, withContextHint } from '../../src/cli/explain.ts';
import { describeRotation } from '../../src/cli/rotation-preview.ts';
import { entryOf } from '../../src/cli/sealed-log/answers.ts';
import { EncryptionServiceError } from '../../src/errors.ts';
import { oneLine, visibleText } from '../../src/visible-text.ts';

describe('CSV (RFC 4180)', () => {
  test('a CSV field is quoted if necessary, and null is an empty field', () => {
    const rows = [
      { a: 'plain', b: 'with, comma' },
      { a: 'with "quotes"', b: null },
      { a: 'two\r\nlines', b: 7 },
    ];
    expect(csv(rows, ['a', 'b'])).toBe('a,b\r\nplain,"with, comma"\r\n"with ""quotes""",\r\n"two\r\nlines",7\r\n');
  });

  test('each CSV line has as many fields as the heading, whatever the fields contain', () => {
    const fields = ['one', 'two', 'three'];
    fc.assert(
      fc.property(fc.array(fc.record({ one: fc.string(), two: fc.string(), three: fc.string() })), (rows) => {
        expect(parse(csv(rows, fields))).toEqual([fields, ...rows.map((row) => [row.one, row.two, row.three])]);
      }),
    );
  });
});

/** Parses CSV by the grammar of RFC 4180 §2. */
function parse(text: string): string[][] {
  return [...text.matchAll(/((?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|(?=\r\n)))+)\r\n/g)].map(([, line = '']) =>
    [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|$)/g)]
      .slice(0, line.endsWith(',') ? undefined : -1)
      .map(([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare),
  );
}

test('table columns are aligned even if a character has several code points', () => {
  const rows = [
    { name: 'e\u0301te\u0301', size: 5 },
    { name: 'Ada', size: null },
  ];
  expect(table(rows, ['name', 'size'])).toBe('NAME  SIZE\ne\u0301te\u0301   5\nAda   -\n');
  expect(list({ name: 'Ada', created_at: '2026-11-20' })).toBe('name        Ada\ncreated at  2026-11-20\n');
});

test('a table can have any number of rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, number) => ({ number }));
  expect(table(rows, ['number']).endsWith('\n199998\n199999\n')).toBe(true);
});

test('wide characters and emojis take two terminal cells', () => {
  const rows = [
    { name: '備份', size: 5 },
    { name: '👩🏽‍⚕️❤️', size: 6 },
    { name: 'Ada!', size: 7 },
  ];
  expect(table(rows, ['name', 'size'])).toBe('NAME  SIZE\n備份  5\n👩🏽‍⚕️❤️  6\nAda!  7\n');
});

test.each([
  ['evil\u202edrowssap', 'evil<U+202E>drowssap'],
  ['a\u200bdv', 'a<U+200B>dv'],
  ['a\u200db', 'a<U+200D>b'],
  ['soft\u00adhyphen', 'soft<U+00AD>hyphen'],
  ['\u2068a\u2069', '<U+2068>a<U+2069>'],
  ['\u3164', '<U+3164>'],
  ['x\ufe0f', 'x<U+FE0F>'],
  ['a\u{e0061}', 'a<U+E0061>'],
  ['line\u2028break', 'line<U+2028>break'],
  ['👨‍👩‍👧 ❤️ 1️⃣ 👍🏽 備份 שלום', '👨‍👩‍👧 ❤️ 1️⃣ 👍🏽 備份 שלום'],
])('characters that cannot be seen are shown, except where they make up an emoji: %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
  expect(table([{ name: text }], ['name'])).toBe(`NAME\n${shown}\n`);
});

test('control characters in data are shown, so that data cannot control a terminal', () => {
  expect(oneLine('red \u001b[31m\u009b1m\u202e end\nnext')).toBe('red <U+001B>[31m<U+009B>1m<U+202E> end next');
  expect(table([{ name: 'a\u001bb' }], ['name'])).toBe('NAME\na<U+001B>b\n');
  // A newer service or another server may answer with any field.
  expect(list({ 'a\u001b[2J\r\nb': 1, in: { '\u009b1m': 2 } })).toBe(
    'a<U+001B>[2J b  1\nin              <U+009B>1m 2\n',
  );
});

test.each([
  ['unauthorized', 4],
  ['unreachable', 5],
  ['answer_lost', 5],
  ['deadline_exceeded', 5],
  ['invalid_answer', 5],
  ['aborted', 1],
  ['unavailable', 3],
  ['rate_limited', 3],
  ['internal_error', 3],
  ['not_found', 3],
] as const)('the error code %s maps to the exit status %i', (code, exitCode) => {
  expect(explain(new EncryptionServiceError(code, 'why'))).toMatchObject({ code, exitCode });
});

test.each([
  ['api_key_required', 'why; set ESK_API_KEY to the token of an API key; LOOK_UP (request 1)'],
  ['internal_error', 'why; run esk doctor to find the cause; LOOK_UP (request 1)'],
  ['unavailable', 'why; run esk doctor to find the cause; LOOK_UP (request 1)'],
  ['unreachable', 'why; run esk doctor to find the cause'],
  [
    'invalid_ciphertext',
    'why; either it was encrypted with another key or context, or it was altered, or a rotation destroyed the key version that encrypted it; LOOK_UP (request 1)',
  ],
  [
    'session_required',
    'why; sign in with esk login, and unset ESK_API_KEY, ESK_API_KEY_FILE and ESK_WORKLOAD, which esk uses instead of the sign-in; LOOK_UP (request 1)',
  ],
  ['not_found', 'why; LOOK_UP (request 1)'],
] as const)(
  'the error line of %s says what to do if esk knows it, and where the docs explain the code, and the error of the library does not',
  (code, line) => {
    const error = new EncryptionServiceError(code, 'why', { requestId: '1' });
    const lookUp = `look up ${code} on the page Troubleshooting of the documentation`;
    expect(errorLine(explain(error))).toBe(`esk: ${code}: ${line.replace('LOOK_UP', lookUp)}`);
    expect(error.message).toBe('why');
  },
);

const [COMPOSED, DECOMPOSED] = ['caf\u00e9', 'cafe\u0301'];
test.each([
  [COMPOSED, 'NFD'],
  [DECOMPOSED, 'NFC'],
  ['cafe', undefined],
  [undefined, undefined],
])(
  'if a file cannot be decrypted, the error for the context %j names the other form of Unicode: %s',
  async (context, form) => {
    const refused = async () => {
      throw new EncryptionServiceError('invalid_ciphertext', 'no');
    };
    const { message } = explain(await withContextHint(context, refused).catch((error: unknown) => error));
    expect(/form (NF[CD]) before/.exec(message)?.[1]).toBe(form);
  },
);

describe('members of audit events', () => {
  const EVENT = { id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', ts: new Date('2026-11-20T12:00:01Z'), user_id: null };
  const CHANGES = [{ field: 'name', before: null, after: 'a "b"' }];

  test('an event is verified as the service sent it, with its changes or, from an earlier release, without', () => {
    const ts = '2026-11-20T12:00:01.000Z';
    expect(entryOf(EVENT)).toEqual({ ...EVENT, ts });
    expect(entryOf({ ...EVENT, changes: CHANGES })).toEqual({ ...EVENT, ts, changes: CHANGES });
  });

  test('an event with a member that this esk does not know ends a verification with exit 1, and esk says that it must be upgraded', async () => {
    const failure = await failureOf(async () => entryOf({ ...EVENT, region: 'here' }));
    expect(failure?.exitCode).toBe(1);
    expect(failure && errorLine(failure)).toMatch(/^esk: upgrade_needed: .* does not know region .* must be upgraded$/);
  });

  test('in CSV, changes are JSON text, and no changes an empty field', () => {
    const rows = [{ changes: CHANGES }, { changes: null }, {}];
    const quoted = `"${JSON.stringify(CHANGES).replaceAll('"', '""')}"`;
    expect(csv(rows, ['changes', 'id'])).toBe(`changes,id\r\n${quoted},\r\n,\r\n,\r\n`);
  });
});

const unused = { since: '2026-10-26', ops: 0, older_version_ops: 0, last_older_use: null };
const key = (tier: 'wrapped' | 'software' | 'hsm') => ({ tier, state: 'active' as const, frozen_at: null });
const lines = (...parameters: Parameters<typeof describeRotation>) =>
  describeRotation(...parameters)
    .trimEnd()
    .split('\n');

describe('the text of a rotation preview', () => {
  test('the preview lists the kept and retired versions, the use of older versions, and what to do before the rotation', () => {
    const recent = { since: '2026-10-26', ops: 120, older_version_ops: 12, last_older_use: '2026-11-20' };
    expect(lines(key('software'), { next_version: 4, keeps: [2, 3], retires: [1], recent })).toEqual([
      'Version 4 becomes the primary version.',
      'Versions 2 and 3 can still decrypt.',
      'Version 1 is retired: data encrypted with it can no longer be decrypted.',
      'In the last 30 days, 12 of 120 operations needed an older version, the last on 2026-11-20.',
      'Rewrap older data first; files with: esk rewrap FILE…',
    ]);
  });

  test('the preview recommends no action if no version is retired', () => {
    const recent = { ...unused, ops: 1 };
    expect(lines(key('hsm'), { next_version: 2, keeps: [1], retires: [], recent })).toEqual([
      'Version 2 becomes the primary version.',
      'Version 1 can still decrypt.',
      'No version is retired.',
      'In the last 30 days, the key performed 1 operation; none needed an older version.',
    ]);
  });

  test('if the rotation keeps only the new version, the preview says that rewrapping does not help', () => {
    const recent = { ...unused, ops: 7 };
    expect(lines(key('wrapped'), { next_version: 3, keeps: [], retires: [2], recent })).toEqual([
      'Version 3 becomes the primary version.',
      'Version 2 is retired: data encrypted with it can no longer be decrypted.',
      'In the last 30 days, the key performed 7 operations.',
      'Rewrapping does not help with this tier: decrypt what you want to keep before you rotate.',
    ]);
  });

  test('the preview lists several versions, and says that a key pending deletion must be restored first', () => {
    const pending = { tier: 'hsm', state: 'pending_deletion', frozen_at: null } as const;
    expect(lines(pending, { next_version: 9, keeps: [8], retires: [5, 6, 7], recent: unused })).toEqual([
      'The key is pending deletion: restore it before you rotate it.',
      'Version 9 becomes the primary version.',
      'Version 8 can still decrypt.',
      'Versions 5, 6 and 7 are retired: data encrypted with them can no longer be decrypted.',
      'In the last 30 days, the key was not used.',
      'Rewrap older data first; files with: esk rewrap FILE…',
    ]);
  });
});
