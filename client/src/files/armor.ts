import { decodeBase64, decodePadded, encodePadded } from './base64.ts';
import { ByteReader } from './byte-reader.ts';
import { byteStream } from './byte-transform.ts';
import { ascii, type Bytes, concat, utf8 } from './bytes.ts';
import { FormatError } from './format-error.ts';

const BEGIN = '-----BEGIN AGE ENCRYPTED FILE-----';
const END = '-----END AGE ENCRYPTED FILE-----';
const LF = 10;
const CR = 13;
const DASH = 45;
const PAD = 61;
const COLUMNS = 64;
/** The number of bytes that a full line of base64 encodes. */
const LINE_LENGTH = 48;
/** The most bytes of whitespace around the armor, as in age. */
const WHITESPACE_LIMIT = 1024;

/** Returns whether the input begins with armor. Does not consume the input. */
async function isArmored(input: ByteReader): Promise<boolean> {
  const start = await input.read(WHITESPACE_LIMIT + BEGIN.length);
  input.unread(start);
  return trim(ascii(start)).startsWith(BEGIN);
}

/** Encodes bytes as strict PEM (RFC 7468 figure 3) with lines of 64 columns. */
export async function* armor(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  let isBegun = false;
  for await (const some of bytes) {
    // The first line is output together with the first data, so that nothing is output if the source fails immediately.
    if (!isBegun) yield utf8(`${BEGIN}\n`);
    isBegun = true;
    const all = concat(rest, some);
    const whole = all.length - (all.length % LINE_LENGTH);
    if (whole > 0) yield encodeLines(all.subarray(0, whole));
    rest = all.subarray(whole);
  }
  if (rest.length > 0) yield encodeLines(rest);
  yield utf8(`${END}\n`);
}

/**
 * Removes the armor. Accepts LF or CRLF line ends, and whitespace around the armor.
 *
 * @throws FormatError `invalid_armor`
 */
export async function* unarmor(input: ByteReader): AsyncGenerator<Uint8Array> {
  const decoder = new LineDecoder();
  let text: Uint8Array = new Uint8Array();
  for (let some = await input.readSome(); some !== undefined; some = await input.readSome()) {
    text = concat(text, some);
    const end = text.lastIndexOf(LF) + 1;
    const bytes = decoder.decode(text.subarray(0, end));
    if (bytes.length > 0) yield bytes;
    text = text.subarray(end);
    if (text.length > WHITESPACE_LIMIT + COLUMNS) throw malformed('a line is too long');
  }
  const bytes = decoder.decode(text);
  if (bytes.length > 0) yield bytes;
  decoder.end();
}

function encodeLines(bytes: Uint8Array): Bytes {
  const text = encodePadded(bytes);
  const lines = new Uint8Array(text.length + Math.ceil(text.length / COLUMNS)).fill(LF);
  for (let line = 0; line * COLUMNS < text.length; line++) {
    lines.set(text.subarray(line * COLUMNS, (line + 1) * COLUMNS), line * (COLUMNS + 1));
  }
  return lines;
}

class LineDecoder {
  #part: 'before' | 'body' | 'last line' | 'after' = 'before';
  #whitespace = 0;

  /** Decodes complete lines. Returns the decoded bytes. */
  decode(lines: Uint8Array): Bytes {
    const full = new Uint8Array(lines.length);
    let length = 0;
    let last: Uint8Array = new Uint8Array();
    for (let start = 0; start < lines.length; ) {
      const lineFeed = lines.indexOf(LF, start);
      const end = lineFeed === -1 ? lines.length : lineFeed;
      const line = lines.subarray(start, lines[end - 1] === CR && end > start ? end - 1 : end);
      if (this.#part === 'body' && line.length === COLUMNS && line[0] !== DASH && line[COLUMNS - 1] !== PAD) {
        // Nearly all lines are full, so they are decoded together.
        full.set(line, length);
        length += COLUMNS;
      } else last = this.#line(line) ?? last;
      start = end + 1;
    }
    const bytes = decodeBase64(full.subarray(0, length));
    if (bytes === undefined) throw malformed('a line is malformed');
    return concat(bytes, last);
  }

  /** Throws if the last line is missing. */
  end(): void {
    if (this.#part !== 'after') throw malformed('the last line is missing');
  }

  /** Reads a line that is not full. If it is the last line of the body, returns its decoded bytes. */
  #line(line: Uint8Array): Bytes | undefined {
    if (this.#part === 'body' || this.#part === 'last line') {
      if (!isLine(line, END)) return this.#lastOfBody(line);
      this.#part = 'after';
    } else if (this.#part === 'before' && isLine(line, BEGIN)) this.#part = 'body';
    else this.#skip(line);
    return undefined;
  }

  #lastOfBody(line: Uint8Array): Bytes {
    const bytes = this.#part === 'body' && line.length > 0 && line.length <= COLUMNS ? decodePadded(line) : undefined;
    if (bytes === undefined) throw malformed('a line is malformed');
    this.#part = 'last line';
    return bytes;
  }

  #skip(line: Uint8Array): void {
    this.#whitespace += line.length + 1;
    if (trim(ascii(line)) !== '' || this.#whitespace > WHITESPACE_LIMIT)
      throw malformed('unexpected text before or after the armor');
  }
}

function isLine(line: Uint8Array, expected: string): boolean {
  const text = ascii(line);
  return (expected === BEGIN ? text.endsWith(expected) : text.startsWith(expected)) && trim(text) === expected;
}

function trim(text: string): string {
  const first = text.search(/[^ \t\r\n]/);
  if (first === -1) return '';
  let end = text.length;
  while (' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(first, end);
}

function malformed(what: string): FormatError {
  return new FormatError('invalid_armor', `invalid ASCII armor: ${what}`);
}

/** Removes the armor, if there is one. */
export async function withoutArmor(input: ByteReader): Promise<{ bytes: ByteReader; isArmored: boolean }> {
  if (!(await isArmored(input))) return { bytes: input, isArmored: false };
  return { bytes: new ByteReader(byteStream(unarmor(input), input)), isArmored: true };
}
