import { inflateSync } from 'node:zlib';
import * as published from 'cctv-age';

/** A published test vector of the age format (C2SP CCTV, age/). */
export interface AgeVector {
  readonly name: string;
  readonly expect: string;
  /** The SHA-256 hash of all output that is allowed. */
  readonly payload: string | undefined;
  readonly fileKey: Buffer | undefined;
  readonly file: Buffer;
}

/** The vectors of the format itself. The other vectors are about recipient types that this library does not read. */
export const vectors: readonly AgeVector[] = Object.entries(published)
  .filter(([name]) => /^(armor|empty|header|hmac|stanza|stream|version)/.test(name))
  .map(([name, bytes]) => parse(name, Buffer.from(bytes)));

function parse(name: string, bytes: Buffer): AgeVector {
  const end = bytes.indexOf('\n\n');
  const fields = new Map<string, string>();
  for (const line of bytes.subarray(0, end).toString().split('\n')) {
    const colon = line.indexOf(': ');
    fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
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
