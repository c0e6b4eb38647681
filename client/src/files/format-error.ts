/** What is wrong with bytes that were to be read as a file or a record of this library. */
export type FormatErrorCode =
  /** The ASCII armor is damaged, or something stands around it. */
  | 'invalid_armor'
  /** The header is damaged, or the bytes are no age file at all. */
  | 'invalid_header'
  /** The header names no key of the service. */
  | 'no_service_key'
  /** The header was changed after it was made, or its file key is another file's. */
  | 'header_altered'
  /** The payload was changed, reordered, or taken from another file. */
  | 'payload_altered'
  /** The payload ends before its last chunk. */
  | 'truncated'
  /** The bytes are no record, or the record was changed, or its context is another one. */
  | 'invalid_record'
  /** The string is no recipient or no identity of the plugin. */
  | 'invalid_recipient';

/** A file, a record or a recipient could not be read. The service has nothing to do with it: asking again does not help. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly code: FormatErrorCode;

  constructor(code: FormatErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
