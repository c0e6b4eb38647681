import { randomBytes } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../base/base32.ts';
import { type ApiKeyId, idBytes, idFromBytes } from '../base/ids.ts';

export interface Token {
  readonly apiKeyId: ApiKeyId;
  readonly secret: string;
}

/** `esk_<26 characters of base32>_<43 characters of base64url>` */
const SHAPE = /^esk_([a-z2-7]{26})_([A-Za-z0-9_-]{43})$/;
/** The part of a token that logs, scanners and the console show. */
const BEGINNING = /^(?:esk_)?([a-z2-7]{26})(?:_|$)/;

export function parseToken(text: string): Token | undefined {
  const [, prefix, secret] = SHAPE.exec(text) ?? [];
  if (prefix === undefined || secret === undefined) return undefined;
  const id = decodeBase32(prefix);
  return id === undefined ? undefined : { apiKeyId: idFromBytes(id), secret };
}

/** Parses a token's prefix, with or without `esk_`. Returns `undefined` if the prefix is malformed. */
export function parsePrefix(text: string): ApiKeyId | undefined {
  const [, prefix] = BEGINNING.exec(text) ?? [];
  const id = prefix === undefined ? undefined : decodeBase32(prefix);
  return id === undefined ? undefined : idFromBytes(id);
}

/** Returns 32 random bytes in base64url. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function tokenPrefix(id: ApiKeyId): string {
  return encodeBase32(idBytes(id));
}

export function viewToken({ apiKeyId, secret }: Token): string {
  return `esk_${tokenPrefix(apiKeyId)}_${secret}`;
}
