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
  test('the stored document is read, and would be stored with the same fields', () => {
    const doc = read(name, data);
    const again = collections.get(name)?.encode(doc);
    // Fields that are newer than the document are allowed.
    expect(again).toMatchObject({ ...data, schema_version: SCHEMA_VERSION });
  });

  test('a document of the next release is read without its new fields', () => {
    const next = { ...data, schema_version: SCHEMA_VERSION + 1, field_of_the_next_release: 'any' };
    expect(read(name, next)).toEqual(read(name, data));
  });

  test('a document without a version is refused', () => {
    const { schema_version, ...rest } = data;
    expect(() => read(name, rest)).toThrow(z.ZodError);
  });

  test('a document of the release after the next is refused', () => {
    expect(() => read(name, { ...data, schema_version: SCHEMA_VERSION + 2 })).toThrow(z.ZodError);
  });
});

test.each(documents.filter(({ name }) => name === 'audit'))(
  'the audit row $id is read even with an operation and an error code of the next release',
  ({ name, data }) => {
    const ofNext = { operation: 'operation_of_the_next_release', error_code: 'error_of_the_next_release' };
    expect(read(name, { ...data, ...ofNext })).toMatchObject(ofNext);
  },
);
