import { decodeBase64, encodeBase64 } from './base64.ts';
import type { ByteReader } from './byte-reader.ts';
import { ascii, type Bytes, concat, utf8 } from './bytes.ts';

/** A stanza, as an age header has it and age and its plugins speak in it (C2SP age.md and age-plugin.md). */
export interface Stanza {
  /** What stands on the first line, apart by spaces; the first argument is the stanza's type. */
  readonly args: readonly string[];
  readonly body: Uint8Array;
}

/** The longest first line that is read: more than any recipient type needs. */
const LINE_LIMIT = 65_536;
const COLUMNS = 64;
const ARGUMENT = /^[\x21-\x7e]+$/;

/** The stanza as text, its last line feed included. */
export function encodeStanza({ args, body }: Stanza): Bytes {
  const base64 = encodeBase64(body);
  const lines: Uint8Array[] = [utf8(`-> ${args.join(' ')}\n`)];
  // The last line is shorter than the others, so that it ends the stanza; it may be empty.
  for (let start = 0; start <= base64.length; start += COLUMNS) {
    lines.push(base64.subarray(start, start + COLUMNS), utf8('\n'));
  }
  return concat(...lines);
}

/** A stanza's arguments, from its first line; `undefined` where the line is not one. */
export function parseArguments(line: Uint8Array): readonly string[] | undefined {
  const [arrow, ...args] = ascii(line).split(' ');
  return arrow === '->' && args.length > 0 && args.every((arg) => ARGUMENT.test(arg)) ? args : undefined;
}

/** Reads the lines of a stanza's body; `undefined` where they are malformed, or end too early, or are over `limit` bytes. */
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

/** Reads a whole stanza, as a plugin does; `undefined` where there is none, or a malformed one. */
export async function readStanza(input: ByteReader): Promise<Stanza | undefined> {
  const line = await input.readLine(LINE_LIMIT);
  const args = line && parseArguments(line);
  const body = args && (await readBody(input, LINE_LIMIT));
  return body && { args, body };
}
