import { type DocumentData, Timestamp } from '@google-cloud/firestore';
import type { protos } from '@google-cloud/firestore-api';

/** A value in Firestore's format. */
export type StoredValue = protos.google.firestore.v1.IValue;

type Fields = Readonly<Record<string, StoredValue>>;

/** Converts fields to Firestore's format. Throws a `TypeError` for types that the service does not store. */
export function encodeFields(data: DocumentData): Record<string, StoredValue> {
  const fields: Record<string, StoredValue> = {};
  for (const [name, value] of Object.entries(data)) fields[name] = encodeValue(value);
  return fields;
}

export function decodeFields(fields: Fields): DocumentData {
  const data: DocumentData = {};
  for (const [name, value] of Object.entries(fields)) data[name] = decodeValue(value);
  return data;
}

/** Throws a `TypeError` for types that the service does not store. */
export function encodeValue(value: unknown): StoredValue {
  if (typeof value === 'string') return { stringValue: value };
  if (value === null) return { nullValue: 'NULL_VALUE' };
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { integerValue: value } : { doubleValue: value };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (value instanceof Timestamp) return { timestampValue: encodeTimestamp(value) };
  if (value instanceof Uint8Array) return { bytesValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(encodeValue) } };
  if (typeof value === 'object') return { mapValue: { fields: encodeFields(value) } };
  throw new TypeError(`cannot store a value of type ${typeof value}`);
}

export function decodeValue(value: StoredValue): unknown {
  if (value.stringValue != null) return value.stringValue;
  if (value.nullValue != null) return null;
  if (value.integerValue != null) return Number(value.integerValue);
  if (value.timestampValue != null) return decodeTimestamp(value.timestampValue);
  if (value.mapValue != null) return decodeFields(value.mapValue.fields ?? {});
  if (value.arrayValue != null) return (value.arrayValue.values ?? []).map(decodeValue);
  if (value.bytesValue != null) return Buffer.from(value.bytesValue);
  return value.booleanValue ?? value.doubleValue;
}

export function encodeTimestamp({ seconds, nanoseconds }: Timestamp): protos.google.protobuf.ITimestamp {
  return { seconds, nanos: nanoseconds };
}

export function decodeTimestamp({ seconds, nanos }: protos.google.protobuf.ITimestamp): Timestamp {
  return new Timestamp(Number(seconds ?? 0), nanos ?? 0);
}
