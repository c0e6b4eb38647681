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

test('the fixtures hold documents of every collection', () => {
  expect(Object.keys(stored).sort()).toEqual([...collections.keys()].sort());
});

describe.each(documents)('$name/$id', ({ name, data }) => {
  test('is read as it was stored, and would be stored with the same fields', () => {
    const doc = read(name, data);
    const again = collections.get(name)?.encode(doc);
    // Besides fields that are new since.
    expect(again).toMatchObject({ ...data, schema_version: SCHEMA_VERSION });
  });

  test('is read from the next release too, without what only that one knows', () => {
    const next = { ...data, schema_version: SCHEMA_VERSION + 1, field_of_the_next_release: 'any' };
    expect(read(name, next)).toEqual(read(name, data));
  });

  test('is refused without a version', () => {
    const { schema_version, ...rest } = data;
    expect(() => read(name, rest)).toThrow(z.ZodError);
  });

  test('is refused from a release after that', () => {
    expect(() => read(name, { ...data, schema_version: SCHEMA_VERSION + 2 })).toThrow(z.ZodError);
  });
});

test.each(documents.filter(({ name }) => name === 'audit'))(
  'the row $id is read also of an operation and with an error that only the next release knows',
  ({ name, data }) => {
    const ofNext = { operation: 'operation_of_the_next_release', error_code: 'error_of_the_next_release' };
    expect(read(name, { ...data, ...ofNext })).toMatchObject(ofNext);
  },
);
