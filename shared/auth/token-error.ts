import { errors } from 'jose';

/** Whether the error means that the token is invalid, and not that the key set could not be fetched or parsed. */
export function isTokenError(error: unknown): boolean {
  const ofTheKeySet = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  const generic = error instanceof errors.JOSEError && error.code === errors.JOSEError.code;
  return error instanceof errors.JOSEError && !ofTheKeySet && !generic;
}
