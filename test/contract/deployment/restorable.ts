import { randomUUID } from 'node:crypto';
import type { DocumentData, Firestore } from '@google-cloud/firestore';
import { readRedoLines } from '../../../operator/redo/read-lines.ts';
import { describeLost, redo } from '../../../operator/redo/redo.ts';
import type { Instant } from '../../../shared/base/clock.ts';
import { readInstant } from '../../../shared/store/collection.ts';
import { Store } from '../../../shared/store/store.ts';
import type { RedoLine } from '../../../shared/tenancy/redo-log.ts';
import type { Addresses } from '../../support/client.ts';
import { apiOf, firestoreOf } from '../../support/firestore.ts';
import { type InProcess, openInProcess } from '../../support/in-process.ts';

type Documents = ReadonlyMap<string, DocumentData>;

export interface Backup {
  readonly at: Instant;
  readonly documents: Documents;
}

export interface RedoOptions {
  readonly destroy?: boolean;
  readonly dryRun?: boolean;
  /** Changes the order of the log lines before they are reapplied. */
  readonly shuffle?: (lines: readonly RedoLine[]) => readonly RedoLine[];
}

/** A service with a separate store, so that a test can restore the store while the KMS keeps its state. */
export class Restorable {
  readonly services: InProcess['services'];
  readonly logged: readonly Record<string, unknown>[];
  readonly #db: Firestore;

  constructor(stack: Addresses) {
    const { services, logged } = openInProcess(stack);
    // The Firestore emulator keeps a separate database for each project.
    const project = `demo-restored-${randomUUID().slice(0, 8)}`;
    this.services = { ...services, store: new Store(apiOf(stack, project)) };
    this.logged = logged;
    this.#db = firestoreOf(stack, project);
  }

  async backUp(): Promise<Backup> {
    // The id is new each time, because Firestore does not update the write time of an unchanged document.
    const { writeTime } = await this.#db.doc('backups/latest').set({ id: randomUUID() });
    return { at: readInstant(writeTime), documents: await this.documents() };
  }

  async restore({ documents }: Backup): Promise<void> {
    const batch = this.#db.batch();
    for (const path of (await this.documents()).keys()) batch.delete(this.#db.doc(path));
    for (const [path, data] of documents) batch.set(this.#db.doc(path), data);
    await batch.commit();
  }

  /** Reapplies the changes since the backup. Returns the counts that are not 0 and the messages to the operator. */
  async redo(
    { at }: Pick<Backup, 'at'>,
    { destroy = false, dryRun = false, shuffle = (lines) => lines }: RedoOptions = {},
  ) {
    const lines = this.#linesSince(at);
    const messages: string[] = [];
    const services = { ...this.services, log: { write() {} }, destroy, tell: (line: string) => messages.push(line) };
    const report = await redo(services, shuffle(lines), dryRun);
    const counts = [...report].flatMap(([kind, outcomes]) =>
      Object.entries(outcomes).flatMap(([outcome, count]) => (count === 0 ? [] : `${kind}: ${count} ${outcome}`)),
    );
    return { counts, messages };
  }

  /** Returns the keys and versions that `operator/after-restore.ts` reports as lost: they can no longer decrypt. */
  lost({ at }: Pick<Backup, 'at'>): Promise<string[]> {
    return describeLost(this.services.store, this.#linesSince(at));
  }

  #linesSince(at: Instant): RedoLine[] {
    const text = this.logged.map((line) => `${JSON.stringify(line)}\n`).join('');
    return readRedoLines(text).filter(({ commit_time }) => commit_time > at);
  }

  /** Returns all documents in the store by path. */
  async documents(): Promise<Documents> {
    const documents = new Map<string, DocumentData>();
    for (const collection of await this.#db.listCollections())
      for (const snapshot of (await collection.get()).docs) documents.set(snapshot.ref.path, snapshot.data());
    return documents;
  }

  async close(): Promise<void> {
    await this.#db.terminate();
  }
}
