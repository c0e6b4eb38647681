import { malformed } from '../../shared/http/body.ts';

const NO_DERIVED_KEYS = 'no keys are derived; bind a value to its context with associated_data';
const NO_EXPORT = 'key material is never handed out';
const ONE_CIPHER = 'every key is AES-256-GCM; choose a tier';
const NO_PADDING = 'there are no RSA keys';
const NONCES = 'the service makes a new one for every value';
const ROTATION = 'call keys/{name}/rotate';
const VERSIONS = 'the primary version encrypts, and every enabled one decrypts';

/** Fields of Transit's that are not done here, and what holds instead. */
const NOT_DONE: Readonly<Record<string, string>> = {
  allow_plaintext_backup: NO_EXPORT,
  auto_rotate_period: ROTATION,
  context: NO_DERIVED_KEYS,
  convergent_encryption: 'equal plaintexts have different ciphertexts',
  decrypt_padding_scheme: NO_PADDING,
  deletion_allowed: 'delete a key at DELETE /v1/keys/{id}',
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
  partial_failure_response_code: 'a batch answers 200 unless every item fails, then 400',
  reference: 'results are in the order of batch_input',
};

/** What a field says that asks for nothing: clients send such values for what nobody has set. */
const ASKS_NOTHING: readonly unknown[] = [undefined, null, false, 'false', 0, '0', ''];

/** Whether a field of an object out of JSON asks for something. */
export function asksFor(fields: object, name: string): boolean {
  return Object.hasOwn(fields, name) && !ASKS_NOTHING.includes(Reflect.get(fields, name));
}

/** Whether a field asks for what is done anyhow. */
export type Satisfied = (fields: object, name: string) => boolean;

/** Refuses (`invalid_request`, naming the field) what Transit has and this service has not; `others` are refused besides. */
export function refuseNotDone(
  value: unknown,
  others: Readonly<Record<string, string>> = {},
  isSatisfied: Satisfied = () => false,
): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, instead] of Object.entries({ ...NOT_DONE, ...others })) {
    if (asksFor(value, name) && !isSatisfied(value, name)) throw malformed(`${name} is not done here: ${instead}`);
  }
}
