import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timestamp } from '@google-cloud/firestore';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SCHEMA_VERSION } from '../../../shared/store/collection.ts';
import { ROOT } from '../../sources.ts';
import { collections } from './exported-shapes.ts';

/** A time and bytes as the fixtures spell them. */
const time = z.strictObject({ '@time': z.tuple([z.int(), z.int()]) });
const bytes = z.strictObject({ '@bytes': z.string() });

/** What the store held after a release before documents had a version: by collection, by id. */
const stored = z
  .record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())))
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/fixtures/documents-0.json'), 'utf8'), (_, value) => revive(value)));

function revive(value: unknown): unknown {
  const at = time.safeParse(value);
  if (at.success) return new Timestamp(...at.data['@time']);
  const raw = bytes.safeParse(value);
  return raw.success ? Buffer.from(raw.data['@bytes'], 'base64') : value;
}

const documents = Object.entries(stored).flatMap(([name, byId]) =>
  Object.entries(byId).map(([id, data]) => ({ name, id, data })),
);
const read = (name: string, data: unknown) => collections.get(name)?.decode(data);

test('the fixtures hold documents of every collection', () => {
  expect(Object.keys(stored).sort()).toEqual([...collections.keys()].sort());
});

describe.each(documents)('$name/$id', ({ name, data }) => {
  test('is read as it was stored, and would be stored alike', () => {
    const doc = read(name, data);
    const again = collections.get(name)?.encode(doc);
    expect(again).toEqual({ ...data, schema_version: SCHEMA_VERSION });
  });

  test('is read from the next release too, without what only that one knows', () => {
    const next = { ...data, schema_version: SCHEMA_VERSION + 1, field_of_the_next_release: 'any' };
    expect(read(name, next)).toEqual(read(name, data));
  });

  test('is refused from a release after that', () => {
    expect(() => read(name, { ...data, schema_version: SCHEMA_VERSION + 2 })).toThrow(z.ZodError);
  });
});
