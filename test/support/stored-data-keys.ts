import { z } from 'zod';
import type { Addresses } from './client.ts';
import { documentsOf } from './documents.ts';

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
