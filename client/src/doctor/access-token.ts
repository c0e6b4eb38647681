import type { SignIn } from '../types.ts';

/** Why a service with these sign-in settings refuses an access token, and what to do about it. */
export interface TokenFault {
  readonly found: string;
  readonly advice: string;
}

/** Clocks that differ by less are normal. In seconds. */
const TOLERANCE_S = 60;
const TOKEN_TYPES = /^(?:application\/)?(?:at\+)?jwt$/i;
/** Claims that only ID tokens have (OpenID Connect Core §2). */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash'];

/**
 * Returns what is wrong with an access token that the service has refused, where the token itself shows it. Reads
 * the token without verifying it. `now` is the time in milliseconds.
 */
export function tokenFault(token: string, { issuer, audience }: SignIn, now: number): TokenFault | undefined {
  const [header, claims] = token.split('.').slice(0, 2).map(decode);
  if (header === undefined || claims === undefined || token.split('.').length !== 3) {
    return {
      found: 'The access token is not a JWT.',
      advice: `Have the identity provider issue JWTs. Many providers do so only for an API that is registered with them, here with the identifier ${audience}.`,
    };
  }
  const { typ = 'JWT' } = header;
  if (!TOKEN_TYPES.test(String(typ))) {
    return {
      found: `The token has the type (typ) ${JSON.stringify(typ)}, which is not that of an access token.`,
      advice: 'Check which token the identity provider issues.',
    };
  }
  if (ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name))) {
    return { found: 'The token is an ID token.', advice: 'The service needs an access token.' };
  }
  return claimFault(claims, issuer, audience) ?? timeFault(claims, now / 1_000);
}

type Json = Readonly<Record<string, unknown>>;

function claimFault({ iss, aud, sub, exp }: Json, issuer: string, audience: string): TokenFault | undefined {
  if (iss !== issuer) {
    return {
      found: `The token is from another issuer (iss): ${JSON.stringify(iss)}, not ${JSON.stringify(issuer)}.`,
      advice: 'The service and you must use the same identity provider, with its address written in the same way.',
    };
  }
  if (![aud].flat().includes(audience)) {
    return {
      found: `The token is for another audience (aud): ${JSON.stringify(aud)}, not ${JSON.stringify(audience)}.`,
      advice: `Have the identity provider issue access tokens for the audience ${audience}.`,
    };
  }
  const missing = Object.entries({ sub, exp }).find(([, value]) => value === undefined);
  return missing && { found: `The token has no claim ${missing[0]}.`, advice: 'Have the identity provider add it.' };
}

function timeFault({ exp, nbf }: Json, now: number): TokenFault | undefined {
  if (typeof exp === 'number' && exp <= now) {
    return {
      found: `The token expired ${describe(now - exp)} ago.`,
      advice: 'Sign in again. If it was just issued, set the clock of this machine.',
    };
  }
  if (typeof nbf === 'number' && nbf > now + TOLERANCE_S) {
    return {
      found: `The token is not valid for another ${describe(nbf - now)}.`,
      advice: 'Set the clock of this machine, or that of the identity provider.',
    };
  }
  return undefined;
}

function describe(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}

/** Returns the JSON object in a part of a JWT, or `undefined`. */
function decode(part: string): Json | undefined {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const value: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (one) => one.charCodeAt(0))));
    return typeof value === 'object' && value !== null ? Object(value) : undefined;
  } catch {
    return undefined;
  }
}
