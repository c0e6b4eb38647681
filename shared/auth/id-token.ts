import { type ApiKeyId, parseId } from '../base/ids.ts';
import { isWellFormedJson, repeatsMember } from '../base/json-members.ts';
import type { Config } from '../config.ts';
import { unauthorized } from '../errors.ts';
import type { WorkloadIssuer } from '../workload-issuers.ts';

const MAX_BYTES = 8_192;
const AUDIENCE = 'urn:uuid:';
const PART = /^[A-Za-z0-9_-]+$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The signatures that a workload's token can have. `EdDSA` and `Ed25519` are two names of one algorithm. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The claims of a token: its own top-level members. */
type Claims = ReadonlyMap<string, unknown>;

/** A workload's ID token, well-formed but not verified. */
export interface IdToken {
  readonly text: string;
  readonly issuer: WorkloadIssuer;
  readonly apiKeyId: ApiKeyId;
  readonly alg: Algorithm;
  readonly kid: string;
  readonly claims: Claims;
}

/**
 * Returns a workload's ID token, or `undefined` for a text that can only be an access token. Throws `unauthorized` for a
 * token of a workload issuer that is malformed or names no API key.
 */
export function readIdToken(
  text: string,
  { workloadIssuers, identity }: Pick<Config, 'workloadIssuers' | 'identity'>,
): IdToken | undefined {
  const parts = text.split('.');
  const [header = '', payload = ''] = parts;
  const payloadText = decode(payload);
  const claims = membersOf(payloadText);
  const issuer = workloadIssuers.find(({ issuer }) => issuer === claims?.get('iss'));
  if (issuer === undefined || claims === undefined || payloadText === undefined) return undefined;
  const apiKeyId = parts.length === 3 && text.length <= MAX_BYTES ? apiKeyIn(claims.get('aud')) : undefined;
  if (apiKeyId === undefined) {
    if (issuer.issuer === identity?.issuer) return undefined;
    throw unauthorized(undefined, 'the audience of the ID token is no API key');
  }
  const { alg, kid } = readHeader(header);
  if (!parts.every((part) => PART.test(part)) || repeatsMember(payloadText) || !isWellFormedJson(payloadText))
    throw unauthorized(undefined, 'the ID token is malformed');
  return { text, issuer, apiKeyId, alg, kid, claims };
}

/** Returns the API key that an audience names: `urn:uuid:` and its ID, or a list with only that. */
function apiKeyIn(audience: unknown): ApiKeyId | undefined {
  const [one, ...more] = Array.isArray(audience) ? audience : [audience];
  if (typeof one !== 'string' || more.length > 0 || !one.startsWith(AUDIENCE)) return undefined;
  const id = parseId<ApiKeyId>(one.slice(AUDIENCE.length));
  return one === `${AUDIENCE}${id}` ? id : undefined;
}

/** Reads the algorithm and the key's name. Ignores `jku`, `x5u` and `jwk`: a token must not choose its own key. */
function readHeader(part: string): Pick<IdToken, 'alg' | 'kid'> {
  const text = decode(part);
  const header = membersOf(text);
  const alg = ALGORITHMS.find((one) => one === header?.get('alg'));
  if (alg === undefined) throw unauthorized(undefined, 'the algorithm of the ID token is not accepted');
  const kid = header?.get('kid');
  if (typeof kid !== 'string' || kid === '') throw unauthorized(undefined, 'the ID token names no key');
  if (header?.has('crit') || text === undefined || repeatsMember(text))
    throw unauthorized(undefined, 'the header of the ID token is not accepted');
  return { alg, kid };
}

function decode(part: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(part, 'base64url'));
  } catch {
    return undefined;
  }
}

function membersOf(text: string | undefined): Claims | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map<string, unknown>(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}
