import { errors } from 'jose';

/** Whether a verification failed because of the token, and not while fetching or parsing the key set. */
export function isTokensFault(error: unknown): boolean {
  const ofTheKeySet = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  const generic = error instanceof errors.JOSEError && error.code === errors.JOSEError.code;
  return error instanceof errors.JOSEError && !ofTheKeySet && !generic;
}
