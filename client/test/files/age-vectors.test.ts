import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import * as published from 'cctv-age';
import { describe, expect, test } from 'vitest';
import { armor, withoutArmor } from '../../src/files/armor.ts';
import type { ByteReader } from '../../src/files/byte-reader.ts';
import { inJavaScript, inOpenssl } from '../../src/files/chacha20-poly1305.ts';
import { FormatError } from '../../src/files/format-error.ts';
import { checkHeader, encodeHeader, readHeader } from '../../src/files/header.ts';
import { openPayload } from '../../src/files/payload.ts';
import { openssl } from '../support/objects.ts';
import { drain, readerOf, streamOf } from '../support/streams.ts';

/** A published test vector of the age format (C2SP CCTV, age/). */
interface AgeVector {
  readonly name: string;
  readonly expect: string;
  /** The SHA-256 hash of all output that is allowed. */
  readonly payload: string | undefined;
  readonly fileKey: Buffer | undefined;
  readonly file: Buffer;
}

/** The vectors of the format itself. The other vectors are about recipient types that this library does not read. */
const vectors: readonly AgeVector[] = Object.entries(published)
  .filter(([name]) => /^(armor|empty|header|hmac|stanza|stream|version)/.test(name))
  .map(([name, bytes]) => parse(name, Buffer.from(bytes)));

function parse(name: string, bytes: Buffer): AgeVector {
  const end = bytes.indexOf('\n\n');
  const head = bytes.subarray(0, end).toString().split('\n');
  const fields = new Map(head.map((line) => [line.split(': ')[0], line.split(': ')[1]]));
  const file = bytes.subarray(end + 2);
  const fileKey = fields.get('file key');
  return {
    name,
    expect: fields.get('expect') ?? '',
    payload: fields.get('payload'),
    fileKey: fileKey === undefined ? undefined : Buffer.from(fileKey, 'hex'),
    file: fields.get('compressed') === 'zlib' ? inflateSync(file) : file,
  };
}

/** The library's error codes for each expected result in the test vectors. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  success: [],
  'HMAC failure': ['header_altered'],
  'header failure': ['invalid_header'],
  'armor failure': ['invalid_armor'],
  'payload failure': ['payload_altered', 'truncated'],
};

const ciphers = { JavaScript: inJavaScript, OpenSSL: (key: Uint8Array) => inOpenssl(openssl, key) };

async function* open(input: ByteReader, fileKey: Uint8Array, cipher: keyof typeof ciphers) {
  const { bytes } = await withoutArmor(input);
  const header = await readHeader(bytes);
  await checkHeader(fileKey, header);
  yield* openPayload(fileKey, bytes, ciphers[cipher]);
}

/** The file key for test vectors that have none. With any file key, decryption must fail at the header's MAC. */
const WRONG_FILE_KEY = new Uint8Array(16);
const readable = vectors.filter(({ expect }) => expect !== 'no match');
const succeeding = vectors.filter((vector) => vector.expect === 'success');

test('a header may have as many recipients as fit into it', async () => {
  const text = `age-encryption.org/v1\n${'-> a\n\n'.repeat(150_000)}--- ${'A'.repeat(43)}\n`;
  const { bytes } = await withoutArmor(readerOf(Buffer.from(text)));
  const { stanzas, authenticated } = await readHeader(bytes);
  expect([stanzas.length, authenticated.length]).toEqual([150_000, text.length - 45]);
});

test('a line may come in as many pieces as it has bytes', async () => {
  const line = '-'.repeat(200_000);
  const read = await readerOf(Buffer.from(`${line}\n`), 1).readLine(line.length);
  expect(read?.length).toBe(line.length);
});

test('the test vectors of the age format include every kind of result', () => {
  const kinds = new Set(readable.map((vector) => vector.expect));
  expect([...kinds].sort()).toEqual(Object.keys(CODES).sort());
  expect(readable.length).toBeGreaterThan(80);
});

describe.each(['JavaScript', 'OpenSSL'] as const)('decryption with ChaCha20-Poly1305 in %s', (cipher) => {
  test.each(readable)(
    'the age test vector $name gives the result “$expect”, and only authenticated data is output',
    async (vector) => {
      const { output, error } = await drain(open(readerOf(vector.file), vector.fileKey ?? WRONG_FILE_KEY, cipher));
      if (vector.payload !== undefined) {
        expect(createHash('sha256').update(output).digest('hex')).toBe(vector.payload);
      } else expect(output.length).toBe(0);
      expect(error instanceof FormatError ? [error.code] : error).toEqual(codeOf(vector));
    },
  );
});

/** These files do not begin like armor, so the library reads them as binary files and refuses their header. */
const NOT_ARMOR = ['armor_garbage_leading', 'armor_lowercase', 'armor_whitespace_begin', 'armor_wrong_type'];

function codeOf({ name, expect: expected }: AgeVector) {
  if (NOT_ARMOR.includes(name)) return ['invalid_header'];
  return expected === 'success' ? undefined : [expect.toBeOneOf([...(CODES[expected] ?? [])])];
}

test.each(succeeding)(
  'the age test vector $name gives the same result for every size of input chunks',
  async ({ file, fileKey }) => {
    const whole = await drain(open(readerOf(file), fileKey ?? WRONG_FILE_KEY, 'OpenSSL'));
    const pieceLength = file.length > 100_000 ? 1_009 : 1;
    const inPieces = await drain(open(readerOf(file, pieceLength), fileKey ?? WRONG_FILE_KEY, 'OpenSSL'));
    expect(inPieces.output.equals(whole.output)).toBe(true);
    expect(inPieces.error).toBeUndefined();
  },
);

test.each(succeeding)(
  'encoding the stanzas of the age test vector $name reproduces its header',
  async ({ file, fileKey }) => {
    const { bytes } = await withoutArmor(readerOf(file));
    const { stanzas, authenticated, mac } = await readHeader(bytes);
    const made = Buffer.from(await encodeHeader(fileKey ?? WRONG_FILE_KEY, stanzas)).toString();
    expect(made).toBe(`${Buffer.from(authenticated)} ${Buffer.from(mac).toString('base64').replace('=', '')}\n`);
  },
);

test.each(succeeding.filter(({ name }) => name.startsWith('armor')))(
  'armoring the content of the age test vector $name reproduces its file',
  async ({ file }) => {
    const { bytes } = await withoutArmor(readerOf(file));
    const raw: Uint8Array[] = [];
    for (let some = await bytes.readSome(); some !== undefined; some = await bytes.readSome()) raw.push(some);
    const { output } = await drain(armor(streamOf(Buffer.concat(raw), 47)));
    expect(output.toString()).toBe(`${file.toString().trim().replaceAll('\r\n', '\n')}\n`);
  },
);
