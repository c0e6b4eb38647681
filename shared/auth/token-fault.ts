import { errors } from 'jose';

/** Whether the token is at fault for a failed verification: jose's own errors say so, except those about fetching or reading the key set. */
export function isTokensFault(error: unknown): boolean {
  const ofTheKeySet = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  const generic = error instanceof errors.JOSEError && error.code === errors.JOSEError.code;
  return error instanceof errors.JOSEError && !ofTheKeySet && !generic;
}
