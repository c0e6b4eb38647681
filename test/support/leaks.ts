import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Addresses } from './client.ts';
import { documentsOf } from './firestore.ts';

/** The secrets that must not be found, by name. */
export type Secrets = Map<string, Buffer>;

/** The contents to search, by name. */
export type Places = ReadonlyMap<string, Buffer>;

/** Returns `NAME in PLACE` for each secret that a place contains in any encoding. */
export function leaks(secrets: Secrets, places: Places): string[] {
  return [...secrets].flatMap(([name, bytes]) => {
    const needles = encodings(bytes);
    return [...places].flatMap(([place, content]) =>
      needles.some((needle) => content.includes(needle)) ? `${name} in ${place}` : [],
    );
  });
}

/**
 * Returns the bytes in each encoding to search for: raw, hexadecimal, a JSON list of numbers, and base64 at each
 * possible offset in a longer text.
 */
function encodings(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Leaves out base64 digits at either end that also contain bits of neighboring bytes.
    const own = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(own), own.replaceAll('/', '\\/')];
  });
  return [bytes, ...[hex, hex.toUpperCase(), bytes.join(','), ...base64].map((text) => Buffer.from(text))];
}

/** A Firestore export is a LevelDB log (leveldb, doc/log_format.md): blocks of this length, which includes a header. */
const BLOCK_LENGTH = 32_768;
const BLOCK_HEADER_LENGTH = 7;

/**
 * Returns the files of a directory, at any depth. The content of an export file is returned twice: once unchanged, and
 * once without block headers.
 */
export function filesOf(dir: string): Places {
  const files = globSync('**', { cwd: dir }).filter((name) => statSync(join(dir, name)).isFile());
  return new Map(
    files.map((name) => {
      const content = readFileSync(join(dir, name));
      // A block header can fall into the middle of a value, so the search also needs the content without headers.
      return [name, name.includes('/output-') ? Buffer.concat([content, withoutBlockHeaders(content)]) : content];
    }),
  );
}

function withoutBlockHeaders(log: Buffer): Buffer {
  const blocks = Array.from({ length: Math.ceil(log.length / BLOCK_LENGTH) }, (_, block) =>
    log.subarray(block * BLOCK_LENGTH + BLOCK_HEADER_LENGTH, (block + 1) * BLOCK_LENGTH),
  );
  return Buffer.concat(blocks);
}

/** A stored data key. */
export interface StoredDataKey {
  readonly keyId: string;
  readonly version: number;
  readonly wrapped: Buffer;
  /** The aad with which the KMS wrapped the data key: tenant id, key id and version. */
  readonly bound: Buffer;
}

/** Returns the schema of a map in Firestore's REST format, whose fields have the schemas in `shape`. */
const map = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object({ mapValue: z.object({ fields: z.object(shape) }) }).transform(({ mapValue }) => mapValue.fields);

const material = map({ wrapped: z.object({ bytesValue: z.base64().optional() }).optional() });
const version = map({ version: z.object({ integerValue: z.coerce.number() }), material });
const key = z.object({
  fields: z.object({
    tenant_id: z.object({ stringValue: z.string() }),
    versions: z.object({ arrayValue: z.object({ values: z.array(version).default([]) }) }),
  }),
});

/** Returns every wrapped data key in a stack's Firestore. */
export async function storedDataKeys(stack: Addresses): Promise<StoredDataKey[]> {
  const documents = await documentsOf(stack, 'keys');
  return [...documents].flatMap(([path, content]) => {
    const keyId = path.replace('keys/', '');
    const { tenant_id, versions } = key.parse(JSON.parse(content.toString())).fields;
    return versions.arrayValue.values.flatMap(({ version: { integerValue: number }, material: { wrapped } }) => {
      if (wrapped?.bytesValue === undefined) return [];
      const bound = `${tenant_id.stringValue}${keyId}`.replaceAll('-', '') + number.toString(16).padStart(8, '0');
      const bytes = Buffer.from(wrapped.bytesValue, 'base64');
      return { keyId, version: number, wrapped: bytes, bound: Buffer.from(bound, 'hex') };
    });
  });
}
