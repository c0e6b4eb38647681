import { errors } from 'jose';

/** What is wrong with a token, by the code of jose's error. */
const WHAT: Readonly<Record<string, string>> = {
  [errors.JWTExpired.code]: 'the token has expired',
  [errors.JWTInvalid.code]: 'the token is not a JWT',
  [errors.JWSInvalid.code]: 'the token is not a JWT',
  [errors.JOSEAlgNotAllowed.code]: 'the algorithm is not accepted',
  [errors.JWKSNoMatchingKey.code]: 'the provider has no key with this kid',
  [errors.JWKSMultipleMatchingKeys.code]: 'the token names no key',
  [errors.JWSSignatureVerificationFailed.code]: 'the signature is wrong',
};

/** Returns what is wrong with a refused token, in words that contain nothing of the token. */
export function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} is ${inWords(error.reason)}`;
  return (error instanceof errors.JOSEError && WHAT[error.code]) || 'the token is malformed';
}

function inWords(reason: string): string {
  return reason === 'missing' ? 'missing' : 'wrong';
}

/** Whether the error means that the token is invalid, and not that the key set could not be fetched or parsed. */
export function isTokenError(error: unknown): boolean {
  const ofTheKeySet = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  const generic = error instanceof errors.JOSEError && error.code === errors.JOSEError.code;
  return error instanceof errors.JOSEError && !ofTheKeySet && !generic;
}
