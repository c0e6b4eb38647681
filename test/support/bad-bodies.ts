import type { Extras } from './client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT_TYPE = { 'content-type': 'text/plain' };
const TOO_LARGE = ' '.repeat(131_073);

/** Invalid bodies with the expected errors. Bodies with two faults show which fault the service must report. */
export const BAD_BODIES: readonly (readonly [refusal: string, name: string, extras: Extras])[] = [
  ['415 unsupported_media_type', 'a body whose content type is not JSON', { raw: '{}', headers: TEXT_TYPE }],
  ['413 payload_too_large', 'a body over 131,072 bytes', { raw: TOO_LARGE, headers: JSON_TYPE }],
  ['400 invalid_request', 'a body that is not JSON', { raw: '{', headers: JSON_TYPE }],
  ['400 invalid_request', 'an empty body', { raw: '', headers: JSON_TYPE }],
  ['400 invalid_request', 'a JSON array instead of an object', { raw: '[]', headers: JSON_TYPE }],
  [
    '415 unsupported_media_type',
    'a body over 131,072 bytes whose content type is not JSON',
    { raw: TOO_LARGE, headers: TEXT_TYPE },
  ],
  [
    '415 unsupported_media_type',
    'a body that is not JSON, and whose content type is not JSON',
    { raw: '{', headers: TEXT_TYPE },
  ],
  ['413 payload_too_large', 'a body over 131,072 bytes that is not JSON', { raw: `{${TOO_LARGE}`, headers: JSON_TYPE }],
];

const ENCODED = { 'content-encoding': 'gzip' };

/** Invalid bodies of Transit requests, whose content type can be any. */
export const BAD_TRANSIT_BODIES: readonly (readonly [refusal: string, name: string, extras: Extras])[] = [
  ['415 unsupported_media_type', 'an encoded body', { raw: '{', headers: ENCODED }],
  ['415 unsupported_media_type', 'an encoded body over 131,072 bytes', { raw: TOO_LARGE, headers: ENCODED }],
  ['413 payload_too_large', 'a body over 131,072 bytes that is not JSON', { raw: `{${TOO_LARGE}` }],
  ['400 invalid_request', 'a body that is not JSON', { raw: '{' }],
  ['400 invalid_request', 'a JSON array instead of an object', { raw: '[]' }],
  ['400 invalid_request', 'an unsupported field', { raw: '{"managed_key_name":"a","context":"AAAA"}' }],
];
