export type { ByteTransform } from './byte-transform.ts';
export { decryptStream } from './decrypt-stream.ts';
export { type EncryptOptions, encryptStream } from './encrypt-stream.ts';
export { FormatError, type FormatErrorCode } from './format-error.ts';
export type { KeyService } from './key-service.ts';
export { type FileInfo, readFileInfo } from './read-file-info.ts';
export { rewrapHeader } from './rewrap-header.ts';
export type { FileOptions } from './service-stanza.ts';
