import { errors } from 'jose';

/** Whether the token is invalid, as opposed to a failure to fetch or parse the key set. */
export function isTokensFault(error: unknown): boolean {
  const ofTheKeySet = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  const generic = error instanceof errors.JOSEError && error.code === errors.JOSEError.code;
  return error instanceof errors.JOSEError && !ofTheKeySet && !generic;
}
