import { decodeBase64, encodeBase64 } from './base64.ts';
import type { ByteReader } from './byte-reader.ts';
import { ascii, type Bytes, concat, utf8 } from './bytes.ts';

/** A stanza of an age header or of the plugin protocol (C2SP age.md and age-plugin.md). */
export interface Stanza {
  /** The first line, split at spaces. The first argument is the stanza's type. */
  readonly args: readonly string[];
  readonly body: Uint8Array;
}

/** The most bytes of a line. Every known recipient type needs less. */
const LINE_LIMIT = 65_536;
const COLUMNS = 64;
const ARGUMENT = /^[\x21-\x7e]+$/;

/** Encodes a stanza, including the last line feed. */
export function encodeStanza({ args, body }: Stanza): Bytes {
  const base64 = encodeBase64(body);
  const lines: Uint8Array[] = [utf8(`-> ${args.join(' ')}\n`)];
  // A shorter last line, which may be empty, ends the stanza.
  for (let start = 0; start <= base64.length; start += COLUMNS) {
    lines.push(base64.subarray(start, start + COLUMNS), utf8('\n'));
  }
  return concat(...lines);
}

/** Parses a stanza's first line. Returns `undefined` if the line is malformed. */
export function parseArguments(line: Uint8Array): readonly string[] | undefined {
  const [arrow, ...args] = ascii(line).split(' ');
  return arrow === '->' && args.length > 0 && args.every((arg) => ARGUMENT.test(arg)) ? args : undefined;
}

/** Returns a stanza's body, or `undefined` if its lines are malformed, incomplete, or over `limit` bytes. */
export async function readBody(input: ByteReader, limit: number): Promise<Bytes | undefined> {
  const lines: Bytes[] = [];
  for (let length = 0; length <= limit; ) {
    const line = await input.readLine(COLUMNS);
    const bytes = line && decodeBase64(line);
    if (line === undefined || bytes === undefined) return undefined;
    lines.push(bytes);
    length += bytes.length;
    if (line.length < COLUMNS) return concat(...lines);
  }
  return undefined;
}

/** Reads a whole stanza. Returns `undefined` if it is missing or malformed. */
export async function readStanza(input: ByteReader): Promise<Stanza | undefined> {
  const line = await input.readLine(LINE_LIMIT);
  const args = line && parseArguments(line);
  const body = args && (await readBody(input, LINE_LIMIT));
  return body && { args, body };
}
