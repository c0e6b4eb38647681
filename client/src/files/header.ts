import { decodeBase64, encodeBase64 } from './base64.ts';
import type { ByteReader } from './byte-reader.ts';
import { ascii, type Bytes, concat, join, utf8 } from './bytes.ts';
import { FormatError } from './format-error.ts';
import { hkdf } from './hkdf.ts';
import { encodeStanza, parseArguments, readBody, type Stanza } from './stanza.ts';

export interface Header {
  readonly stanzas: readonly Stanza[];
  /** The input of the MAC: the header up to and including `---`. */
  readonly authenticated: Bytes;
  readonly mac: Bytes;
}

/** The most bytes of a header, to limit the memory that a header can use. */
const HEADER_LIMIT = 1_048_576;
const VERSION = 'age-encryption.org/v1';
const END = '---';
const MAC_LENGTH = 32;

/**
 * Reads the input up to the payload. Does not check the MAC; call {@link checkHeader} for that.
 *
 * @throws FormatError `invalid_header`
 */
export async function readHeader(input: ByteReader): Promise<Header> {
  const version = await input.readLine(VERSION.length);
  if (version === undefined || ascii(version) !== VERSION)
    throw malformed('this is not a file in the age format (age-encryption.org/v1)');
  const stanzas: Stanza[] = [];
  const parts: Bytes[] = [utf8(`${VERSION}\n`)];
  let length = 0;
  while (length <= HEADER_LIMIT) {
    const line = await input.readLine(HEADER_LIMIT - length);
    if (line === undefined) break;
    if (ascii(line).startsWith(END)) {
      const mac = parseMac(line);
      if (stanzas.length === 0) throw malformed('the file header has no recipients');
      return { stanzas, authenticated: join([...parts, utf8(END)]), mac };
    }
    const stanza = await readStanzaAfter(line, input, HEADER_LIMIT - length);
    const text = encodeStanza(stanza);
    stanzas.push(stanza);
    parts.push(text);
    length += text.length;
  }
  throw malformed('the header is incomplete');
}

/** Returns the header with its MAC (C2SP age.md), up to the line feed before the payload. */
export async function encodeHeader(fileKey: Uint8Array, stanzas: readonly Stanza[]): Promise<Bytes> {
  const authenticated = join([utf8(`${VERSION}\n`), ...stanzas.map(encodeStanza), utf8(END)]);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await macKey(fileKey), authenticated));
  return concat(authenticated, utf8(' '), encodeBase64(mac), utf8('\n'));
}

/**
 * Verifies the header's MAC with the file key.
 *
 * @throws FormatError `header_altered`
 */
export async function checkHeader(fileKey: Uint8Array, { authenticated, mac }: Header): Promise<void> {
  if (!(await crypto.subtle.verify('HMAC', await macKey(fileKey), mac, authenticated))) {
    throw new FormatError('header_altered', 'the header was altered, or belongs to another file');
  }
}

async function macKey(fileKey: Uint8Array) {
  const key = await hkdf(fileKey, new Uint8Array(), 'header');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

async function readStanzaAfter(line: Bytes, input: ByteReader, limit: number): Promise<Stanza> {
  const args = parseArguments(line);
  const body = args && (await readBody(input, limit));
  if (args === undefined || body === undefined) throw malformed('the header contains a malformed stanza');
  return { args, body };
}

function parseMac(line: Bytes): Bytes {
  const mac = ascii(line).startsWith(`${END} `) ? decodeBase64(line.subarray(END.length + 1)) : undefined;
  if (mac?.length !== MAC_LENGTH) throw malformed("the header's MAC is malformed");
  return mac;
}

function malformed(message: string): FormatError {
  return new FormatError('invalid_header', message);
}
