import { randomBytes } from 'node:crypto';
import { decodeBase32, encodeBase32 } from '../base/base32.ts';
import { type ApiKeyId, idBytes, idFromBytes } from '../base/ids.ts';

/** An API key token taken apart: which record it names, and the secret that proves it. */
export interface Token {
  readonly apiKeyId: ApiKeyId;
  /** 43 characters of base64url: 32 random bytes. */
  readonly secret: string;
}

/** `esk_<26 characters of base32>_<43 characters of base64url>` */
const SHAPE = /^esk_([a-z2-7]{26})_([A-Za-z0-9_-]{43})$/;
/** What scanners, logs and the console show of a token. */
const BEGINNING = /^(?:esk_)?([a-z2-7]{26})(?:_|$)/;

/** The token that `text` spells, or `undefined` when it is not one. */
export function parseToken(text: string): Token | undefined {
  const [, prefix, secret] = SHAPE.exec(text) ?? [];
  if (prefix === undefined || secret === undefined) return undefined;
  const id = decodeBase32(prefix);
  return id === undefined ? undefined : { apiKeyId: idFromBytes(id), secret };
}

/** The API key that the beginning of a token names, with `esk_` or without, or `undefined` when it names none. */
export function parsePrefix(text: string): ApiKeyId | undefined {
  const [, prefix] = BEGINNING.exec(text) ?? [];
  const id = prefix === undefined ? undefined : decodeBase32(prefix);
  return id === undefined ? undefined : idFromBytes(id);
}

/** A new secret. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The prefix by which a token names its API key. */
export function tokenPrefix(id: ApiKeyId): string {
  return encodeBase32(idBytes(id));
}

/** The token's text: shown once, never stored. */
export function viewToken({ apiKeyId, secret }: Token): string {
  return `esk_${tokenPrefix(apiKeyId)}_${secret}`;
}
