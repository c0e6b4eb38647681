import { isUint8Array } from '../files/bytes.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { Timestamp } from './timestamp.ts';

interface Formats {
  readonly bytes: readonly string[];
  readonly times: readonly string[];
}

interface AnswerFormats extends Formats {
  /** The fields that may hold any JSON, which is not converted. */
  readonly json: readonly string[];
}

/**
 * Encodes a request body as JSON. Throws a `TypeError` if a field for bytes is not a `Uint8Array`, because a text could
 * be mistaken for base64, or if JSON would replace a value, such as an invalid `Date`, with `null`.
 */
export function encodeBody(body: unknown, { bytes }: Formats): string {
  return JSON.stringify(body, function (this: unknown, name, value) {
    const given = Object(this)[name];
    if (isUint8Array(given)) return toBase64(given);
    if (bytes.includes(name) && given !== null && given !== undefined)
      throw new TypeError(`${name} must be a Uint8Array`);
    const isLost = given !== null && (value === null || (typeof value === 'number' && !Number.isFinite(value)));
    if (isLost) throw new TypeError(`${name} must be a valid time or a finite number`);
    return value;
  });
}

/** Parses JSON: bytes become `Uint8Array`, times `Date`. Throws if the JSON or such a field is malformed. */
export function decodeAnswer<T>(json: string, formats: AnswerFormats): T {
  const answer = JSON.parse(json);
  convert(answer, formats);
  return answer;
}

function convert(value: unknown, formats: AnswerFormats): void {
  if (typeof value !== 'object' || value === null) return;
  const { bytes, times, json } = formats;
  for (const [name, inner] of Object.entries(value)) {
    if (json.includes(name)) continue;
    if (typeof inner !== 'string') convert(inner, formats);
    else if (bytes.includes(name)) Object.assign(value, { [name]: fromBase64(inner) });
    else if (times.includes(name)) Object.assign(value, { [name]: new Timestamp(inner) });
  }
}

/** Returns the query string with `?`, or an empty text if there are no parameters. Times are in RFC 3339. */
export function encodeQuery(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  // A `Date` of another realm is no `instanceof Date`, but has `toJSON`.
  const pairs = given.map(([name, value]) => [name, String(Object(value).toJSON?.() ?? value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(pairs))}`;
}
