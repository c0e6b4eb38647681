import { randomUUID } from 'node:crypto';
import { makeFirestoreClient } from '../../emulators/firestore/client.ts';

/** Which document to copy, and how often. `field` is the one that holds a document's own id. */
export interface Copies {
  readonly from: string;
  readonly id: string;
  readonly field: string;
  readonly copies: number;
}

const BATCH_SIZE = 500;

/** Writes copies of a document into the store, past the service and its bounds. Returns their ids. */
export async function copyDocument(emulator: string, { from, id, field, copies }: Copies): Promise<string[]> {
  const db = makeFirestoreClient(emulator);
  try {
    const documents = db.collection(from);
    const original = (await documents.doc(id).get()).data();
    if (original === undefined) throw new Error(`no document ${from}/${id}`);
    const ids = Array.from({ length: copies }, () => randomUUID());
    for (let at = 0; at < copies; at += BATCH_SIZE) {
      const batch = db.batch();
      for (const copy of ids.slice(at, at + BATCH_SIZE))
        batch.create(documents.doc(copy), { ...original, [field]: copy });
      await batch.commit();
    }
    return ids;
  } finally {
    await db.terminate();
  }
}
