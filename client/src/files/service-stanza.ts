import { EncryptionServiceError, type ErrorCode } from '../errors.ts';
import type { CallOptions } from '../types.ts';
import { isUint8Array } from './bytes.ts';
import { FormatError } from './format-error.ts';
import { isKeyId, readKeyId } from './key-id.ts';
import type { KeyService } from './key-service.ts';
import type { Stanza } from './stanza.ts';

export interface FileOptions extends CallOptions {
  /** The `aad` of `wrap`. Decryption needs the same bytes, which the file does not contain. */
  readonly context?: Uint8Array | undefined;
}

/** Copies the options, because the caller may change them while the file is read. */
export function copyOptions({ context, signal, timeoutMs }: FileOptions): FileOptions {
  return { context: isUint8Array(context) ? new Uint8Array(context) : context, signal, timeoutMs };
}

/** A stanza of the service: `-> esk <key id>`, with the wrapped file key as its body. */
const STANZA_TYPE = 'esk';
const FILE_KEY_LENGTH = 16;
/** The most keys of a file, to limit the requests that an untrusted file can cause. */
export const MAX_KEYS = 100;
/** Errors that concern one key. Another key of the file may still work. */
const REFUSALS: readonly ErrorCode[] = [
  'not_found',
  'key_not_allowed',
  'action_not_allowed',
  'key_pending_deletion',
  'key_frozen',
  'ops_cap_reached',
  'invalid_ciphertext',
];

/** Returns a stanza with the file key, wrapped by the service. Throws a `TypeError` unless `keyId` is a UUID. */
export async function wrapFileKey(
  service: KeyService,
  keyId: string,
  fileKey: Uint8Array,
  options: FileOptions = {},
): Promise<Stanza> {
  const id = readKeyId(keyId);
  const { wrapped } = await service.wrap(id, { dek: fileKey, ...aad(options) }, options);
  return { args: [STANZA_TYPE, id], body: wrapped };
}

export function isServiceStanza({ args }: Stanza): boolean {
  return args[0] === STANZA_TYPE;
}

/** Returns the key id of a stanza, or `undefined` if the stanza is malformed. */
export function keyIdOf({ args, body }: Stanza): string | undefined {
  const [, id = '', ...others] = args;
  return isKeyId(id) && others.length === 0 && body.length > 0 ? id : undefined;
}

/** Returns the key ids of all `esk` stanzas. Throws a `FormatError` if one is malformed, or there are over 100. */
export function keyIdsOf(stanzas: readonly Stanza[]): readonly string[] {
  const ids = stanzas.filter(isServiceStanza).map(keyIdOf);
  const known = ids.filter((id) => id !== undefined);
  if (known.length < ids.length) throw new FormatError('invalid_header', 'the header contains a malformed esk stanza');
  if (known.length > MAX_KEYS)
    throw new FormatError(
      'invalid_header',
      `the file is encrypted for more than ${MAX_KEYS} keys, which is not supported`,
    );
  return known;
}

/**
 * Returns the file key from the first stanza that the service can unwrap.
 *
 * @throws FormatError `no_service_key`, `invalid_header`; or the errors of `unwrap`
 */
export async function unwrapFileKey(
  service: KeyService,
  stanzas: readonly Stanza[],
  options: FileOptions = {},
): Promise<Uint8Array> {
  keyIdsOf(stanzas);
  let refusal: unknown = new FormatError('no_service_key', 'the file is not encrypted for any key of the service');
  for (const stanza of stanzas.filter(isServiceStanza)) {
    try {
      return await unwrapStanza(service, stanza, options);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Whether the error concerns only one key, so that another key of the file may work. */
export function isRefusal(error: unknown): boolean {
  return error instanceof EncryptionServiceError && REFUSALS.includes(error.code);
}

/** Returns the file key of one stanza, for which {@link keyIdOf} must return an id. */
export async function unwrapStanza(service: KeyService, stanza: Stanza, options: FileOptions): Promise<Uint8Array> {
  const { dek } = await service.unwrap(keyIdOf(stanza) ?? '', { wrapped: stanza.body, ...aad(options) }, options);
  if (dek.length !== FILE_KEY_LENGTH)
    throw new FormatError('invalid_header', 'the header contains a wrapped key of the wrong length');
  return dek;
}

/** Returns the stanza, rewrapped with the key's current version. */
export async function rewrapStanza(service: KeyService, stanza: Stanza, options: FileOptions): Promise<Stanza> {
  const { args, body } = stanza;
  const { ciphertext } = await service.rewrap(keyIdOf(stanza) ?? '', { ciphertext: body, ...aad(options) }, options);
  return { args, body: ciphertext };
}

function aad({ context }: FileOptions): { readonly aad?: Uint8Array } {
  return context === undefined ? {} : { aad: context };
}
