import { randomUUID } from 'node:crypto';
import { makeFirestoreClient } from '../../emulators/firestore/server.ts';

/**
 * Describes copies of a document. The original is a document whose field `where[0]` has the value `where[1]`. Each copy
 * gets a new ID, which is also stored in the first of `fields`. The other fields get other random IDs.
 */
export interface Copies {
  readonly from: string;
  readonly where: readonly [field: string, value: unknown];
  readonly fields: readonly string[];
  readonly copies: number;
}

const BATCH_SIZE = 500;
const AT_ONCE = 4;

/** Copies a document directly in the store, which avoids the service's limits. Returns the IDs of the copies. */
export async function copyDocument(emulator: string, { from, where, fields, copies }: Copies): Promise<string[]> {
  const db = makeFirestoreClient(emulator);
  try {
    const documents = db.collection(from);
    const [original] = (await documents.where(where[0], '==', where[1]).limit(1).get()).docs;
    if (original === undefined) throw new Error(`no such document of ${from}`);
    const ids = Array.from({ length: copies }, () => randomUUID());
    const left = ids.values();
    const worker = async () => {
      for (let some = [...left.take(BATCH_SIZE)]; some.length > 0; some = [...left.take(BATCH_SIZE)]) {
        const batch = db.batch();
        for (const id of some) {
          const replaced = fields.map((field, at) => [field, at === 0 ? id : randomUUID()]);
          batch.create(documents.doc(id), { ...original.data(), ...Object.fromEntries(replaced) });
        }
        await batch.commit();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return ids;
  } finally {
    await db.terminate();
  }
}
