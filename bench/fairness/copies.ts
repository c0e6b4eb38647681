import { randomUUID } from 'node:crypto';
import { makeFirestoreClient } from '../../emulators/firestore/client.ts';

/**
 * Describes copies of a document. The original is a document whose field `where[0]` has the value `where[1]`. Each copy
 * gets a new ID, which is also stored in `field`.
 */
export interface Copies {
  readonly from: string;
  readonly where: readonly [field: string, value: unknown];
  readonly field: string;
  readonly copies: number;
}

const BATCH_SIZE = 500;

/** Copies a document directly in the store, which avoids the service's limits. Returns the IDs of the copies. */
export async function copyDocument(emulator: string, { from, where, field, copies }: Copies): Promise<string[]> {
  const db = makeFirestoreClient(emulator);
  try {
    const documents = db.collection(from);
    const [original] = (await documents.where(where[0], '==', where[1]).limit(1).get()).docs;
    if (original === undefined) throw new Error(`no such document of ${from}`);
    const ids = Array.from({ length: copies }, () => randomUUID());
    for (let at = 0; at < copies; at += BATCH_SIZE) {
      const batch = db.batch();
      for (const copy of ids.slice(at, at + BATCH_SIZE))
        batch.create(documents.doc(copy), { ...original.data(), [field]: copy });
      await batch.commit();
    }
    return ids;
  } finally {
    await db.terminate();
  }
}
