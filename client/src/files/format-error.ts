import { isNamed } from '../errors.ts';

export type FormatErrorCode =
  /** The ASCII armor is damaged, or there is other text around it. */
  | 'invalid_armor'
  /** The header is damaged, or the input is not an age file. */
  | 'invalid_header'
  /** The file is not encrypted for any key of the service. */
  | 'no_service_key'
  /** The header was altered, or belongs to another file. */
  | 'header_altered'
  /** The payload was altered or reordered, or belongs to another file. */
  | 'payload_altered'
  /** The last chunk of the payload is missing. */
  | 'truncated'
  /** The record is malformed or altered, or the context or record id does not match. */
  | 'invalid_record'
  /** The text is not a recipient of the age plugin. */
  | 'invalid_recipient';

/** A file, a record or a recipient could not be read. Retrying does not help: the input is wrong, not the service. */
export class FormatError extends Error {
  /** Also recognizes errors of another copy of this package. */
  static override [Symbol.hasInstance](value: unknown): value is FormatError {
    return isNamed(value, 'FormatError');
  }

  override readonly name = 'FormatError';
  readonly code: FormatErrorCode;

  constructor(code: FormatErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
