import { randomUUID } from 'node:crypto';
import { Firestore } from '@google-cloud/firestore';
import { projectId } from '../../emulators/stack/service-environment.ts';

/** So many copies of a document, each under an id of its own, which is also in that field of it. */
export interface Copies {
  readonly from: string;
  readonly id: string;
  readonly field: string;
  readonly copies: number;
}

const AT_ONCE = 500;

/** Writes them straight into the store, past every bound of the service. Returns the ids. */
export async function copyDocument(emulator: string, { from, id, field, copies }: Copies): Promise<string[]> {
  const db = new Firestore({
    projectId,
    host: emulator,
    ssl: false,
    // The emulator's word for a server that no rule binds.
    customHeaders: { Authorization: 'Bearer owner' },
  });
  try {
    const documents = db.collection(from);
    const original = (await documents.doc(id).get()).data();
    if (original === undefined) throw new Error(`no document ${from}/${id}`);
    const ids = Array.from({ length: copies }, () => randomUUID());
    for (let at = 0; at < copies; at += AT_ONCE) {
      const batch = db.batch();
      for (const copy of ids.slice(at, at + AT_ONCE)) batch.create(documents.doc(copy), { ...original, [field]: copy });
      await batch.commit();
    }
    return ids;
  } finally {
    await db.terminate();
  }
}
