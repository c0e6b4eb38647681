import type { z } from 'zod';
import { malformed } from '../../shared/http/body.ts';
import type { Warnings } from './envelope.ts';

const NO_DERIVED_KEYS = 'keys are never derived; bind a value to its context with associated_data';
const NO_EXPORT = 'keys cannot be exported';
const ONE_CIPHER = 'every key is AES-256-GCM; choose a tier instead';
const NO_PADDING = 'there are no RSA keys';
const NONCES = 'the service generates one for every value';
const ROTATION = 'rotate the key with keys/{name}/rotate';
const VERSIONS = 'the primary version encrypts, and every enabled version decrypts';

/** Unsupported fields of Transit, and why. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  allow_plaintext_backup: NO_EXPORT,
  auto_rotate_period: ROTATION,
  context: NO_DERIVED_KEYS,
  convergent_encryption: 'encrypting the same plaintext twice gives different results',
  decrypt_padding_scheme: NO_PADDING,
  deletion_allowed: 'delete the key with DELETE /v1/keys/{id}',
  derived: NO_DERIVED_KEYS,
  encrypt_padding_scheme: NO_PADDING,
  exportable: NO_EXPORT,
  hybrid_key_type_ec: ONE_CIPHER,
  hybrid_key_type_pqc: ONE_CIPHER,
  iv: NONCES,
  key_size: ONE_CIPHER,
  key_version: VERSIONS,
  managed_key_id: ONE_CIPHER,
  managed_key_name: ONE_CIPHER,
  min_decryption_version: VERSIONS,
  min_encryption_version: VERSIONS,
  nonce: NONCES,
  padding_scheme: NO_PADDING,
  parameter_set: ONE_CIPHER,
  partial_failure_response_code: 'a batch answers 200, or 400 if every item fails',
};

/** Values that mean an unset field. Some clients send them. */
const UNSET: readonly unknown[] = [undefined, null, false, 'false', 0, '0', ''];

/** Whether a field of a JSON object is set to a value that has an effect. */
export function isSet(fields: object, name: string): boolean {
  return Object.hasOwn(fields, name) && !UNSET.includes(Reflect.get(fields, name));
}

/** Returns whether the service already does what an unsupported field requests, so that the field is harmless. */
export type Satisfied = (fields: object, name: string) => boolean;

/** Throws `invalid_request` for a field of Transit that the service does not support, or for a field in `others`. */
export function refuseUnsupported(
  value: unknown,
  others: Readonly<Record<string, string>> = {},
  isSatisfied: Satisfied = () => false,
): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, instead] of Object.entries({ ...UNSUPPORTED, ...others })) {
    if (isSet(value, name) && !isSatisfied(value, name)) throw malformed(`${name} is not supported: ${instead}`);
  }
}

/** The most unknown fields that an answer names, and the most characters of a name. */
const NAMES = 20;
const NAME_LENGTH = 64;

/**
 * Returns the names of the fields that neither the request's schema nor Transit has. Some clients repeat the path's
 * `name` in the body.
 */
export function unknownIn(fields: object, { shape }: z.ZodObject): string[] {
  const known = new Set(['name', 'type', 'batch_input', ...Object.keys(shape), ...Object.keys(UNSUPPORTED)]);
  return Object.keys(fields).filter((name) => !known.has(name));
}

/** Returns a warning for each unknown field, or `null`. */
export function warningsOf(unknown: readonly string[]): Warnings {
  const names = new Set(unknown.map((name) => [...name].slice(0, NAME_LENGTH).join('')));
  if (names.size === 0) return null;
  return [...names].slice(0, NAMES).map((name) => `unknown field, ignored: ${name}`);
}
