import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SCHEMA_VERSION } from '../../../shared/store/collection.ts';
import { readDocuments } from '../../fixtures/release.ts';
import { collections } from './exported-shapes.ts';

const stored = readDocuments('1.0.0');
const documents = Object.entries(stored).flatMap(([name, byId]) =>
  Object.entries(byId).map(([id, data]) => ({ name, id, data })),
);
const read = (name: string, data: unknown) => collections.get(name)?.decode(data);

test('the fixtures contain documents of every collection', () => {
  expect(Object.keys(stored).sort()).toEqual([...collections.keys()].sort());
});

describe.each(documents)('$name/$id', ({ name, data }) => {
  test('the stored document can be read, and is stored again with the same values', () => {
    const doc = read(name, data);
    const again = collections.get(name)?.encode(doc);
    // Today’s code may add fields that the release did not have.
    expect(again).toMatchObject({ ...data, schema_version: SCHEMA_VERSION });
  });

  test('a document that the next release has stored can be read, and new fields are ignored', () => {
    const next = { ...data, schema_version: SCHEMA_VERSION + 1, field_of_the_next_release: 'any' };
    expect(read(name, next)).toEqual(read(name, data));
  });

  test('a document without a schema version is refused', () => {
    const { schema_version, ...rest } = data;
    expect(() => read(name, rest)).toThrow(z.ZodError);
  });

  test('a document is refused if its schema version is two higher than the current version', () => {
    expect(() => read(name, { ...data, schema_version: SCHEMA_VERSION + 2 })).toThrow(z.ZodError);
  });
});

test.each(documents.filter(({ name }) => name === 'audit'))(
  'the audit row $id can be read even with an operation and an error code that only the next release has',
  ({ name, data }) => {
    const ofNext = { operation: 'operation_of_the_next_release', error_code: 'error_of_the_next_release' };
    expect(read(name, { ...data, ...ofNext })).toMatchObject(ofNext);
  },
);
