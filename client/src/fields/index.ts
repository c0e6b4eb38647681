import type { KeyService } from '../files/key-service.ts';
import type { DataKeys } from '../records/data-keys.ts';
import { EncryptedFields } from './encrypted-fields.ts';
import type { Encoding, Fields, FieldsOptions } from './options.ts';

export type { EncryptedFields } from './encrypted-fields.ts';
export { createIndexKey, type IndexKeyService, rewrapIndexKey } from './index-key.ts';
export type { Encoding, FieldOptions, Fields, FieldsOptions, FieldType } from './options.ts';
export { type RecordInfo, recordInfo } from './record-text.ts';
export type { DecryptedRow, EncryptedRow, IndexColumns, JsonValue, RowId, RowOptions, RowsOptions } from './types.ts';

/**
 * Declares the encrypted fields of a table. Throws a `TypeError` for a wrong or unknown option. `service` may be a
 * `DataKeys`, whose data keys the table then shares.
 */
export function encryptedFields<const F extends Fields, E extends Encoding = 'text'>(
  service: KeyService | DataKeys,
  options: FieldsOptions<F, E>,
): EncryptedFields<F, E> {
  return new EncryptedFields(service, options);
}
