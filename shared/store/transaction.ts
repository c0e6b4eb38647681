import {
  type DocumentData,
  FieldValue,
  type Firestore,
  type Transaction as FirestoreTransaction,
} from '@google-cloud/firestore';
import type { Collection } from './collection.ts';
import type { Marks } from './marks.ts';
import { type Additions, type Target, type UpdateTime, Writes } from './writes.ts';

/** Reads and writes in a transaction. What was read stays valid until the commit. Reads must come before writes. */
export class Transaction extends Writes {
  readonly #db: Firestore;
  readonly #tx: FirestoreTransaction;

  constructor(db: Firestore, tx: FirestoreTransaction, marks?: Marks) {
    super(targetOf(db, tx), marks);
    this.#db = db;
    this.#tx = tx;
  }

  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    return from.decode(await this.read(`${from.name}/${id}`));
  }

  async read(path: string): Promise<DocumentData | undefined> {
    return (await this.#tx.get(this.#db.doc(path))).data();
  }
}

function targetOf(db: Firestore, tx: FirestoreTransaction): Target {
  return {
    create: (path, data) => tx.create(db.doc(path), data),
    set: (path, data) => tx.set(db.doc(path), data),
    merge: (path, data, additions) => tx.set(db.doc(path), { ...data, ...increments(additions) }, { merge: true }),
    update: (path, data, additions, updateTime) =>
      tx.update(db.doc(path), { ...data, ...increments(additions) }, unchanged(updateTime) ?? { exists: true }),
    delete: (path, updateTime) => tx.delete(db.doc(path), unchanged(updateTime)),
  };
}

function unchanged(updateTime: UpdateTime | undefined) {
  return updateTime && { lastUpdateTime: updateTime };
}

function increments(additions: Additions): DocumentData {
  const entries = Object.entries(additions).map(([name, amount = 0]) => [
    name,
    typeof amount === 'number' ? FieldValue.increment(amount) : increments(amount),
  ]);
  return Object.fromEntries(entries);
}
