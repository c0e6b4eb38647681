import type { Encoding, FieldOptions, Fields, FieldType } from './options.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

type TypeOf<F extends FieldType | FieldOptions> = F extends FieldOptions ? F['type'] : F;

interface PlainOf {
  text: string;
  json: unknown;
  bytes: Uint8Array;
}

/** The column of a field's index. */
type IndexOf<Name, F> = F extends { readonly index: true }
  ? `${Name & string}_index`
  : F extends { readonly index: infer Column extends string }
    ? Column
    : never;

/** The columns of all indexes. */
export type IndexColumns<F extends Fields> = { [Name in keyof F]: IndexOf<Name, F[Name]> }[keyof F];

type Stored<E extends Encoding> = E extends 'bytes' ? Uint8Array : string;

type Absent<Value> = Extract<Value, null | undefined>;

/** A row as it is stored: its fields are encrypted, and it has the columns of their indexes. */
export type EncryptedRow<Row, F extends Fields, E extends Encoding> = {
  [Name in keyof Row]: Name extends keyof F ? Stored<E> | Absent<Row[Name]> : Row[Name];
} & {
  [Name in keyof Row & keyof F as IndexOf<Name, F[Name]>]: string | Absent<Row[Name]>;
};

/** A row as the application uses it: its fields are decrypted, and the columns of indexes are left out. */
export type DecryptedRow<Row, F extends Fields> = {
  [Name in Exclude<keyof Row, IndexColumns<F>>]: Name extends keyof F
    ? PlainOf[TypeOf<F[Name]>] | Absent<Row[Name]>
    : Row[Name];
};

/** The id of a row: a value, or an object with a value for each of several columns. */
export type RowId = string | number | bigint | { readonly [column: string]: string | number | bigint };

export interface RowsOptions {
  /** Aborts the call: it fails with `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

export interface RowOptions extends RowsOptions {
  /** The id of a row that does not have it, such as the patch of an update. */
  readonly id?: RowId | undefined;
}
