import {
  type DocumentData,
  type DocumentReference,
  FieldValue,
  type Firestore,
  type Transaction as FirestoreTransaction,
  type Precondition,
  type SetOptions,
  type Timestamp,
} from '@google-cloud/firestore';
import type { Instant } from '../base/clock.ts';
import { type ChangeableCollection, type Collection, SCHEMA_VERSION, storeInstant } from './collection.ts';

/** When a document was last written: no two writes of it have the same. */
export type Stamp = Timestamp;

/** So much of each of some numbers of a document. */
export type Amounts<Doc> = { readonly [Field in keyof Doc as Doc[Field] extends number ? Field : never]?: number };

/** What a batch and a transaction of the client have in common. */
interface Target {
  create(ref: DocumentReference, data: DocumentData): unknown;
  set(ref: DocumentReference, data: DocumentData, options: SetOptions): unknown;
  update(ref: DocumentReference, data: DocumentData, precondition?: Precondition): unknown;
  delete(ref: DocumentReference, precondition?: Precondition): unknown;
}

/** Writes that are applied together or not at all. */
export class Writes {
  protected readonly db: Firestore;
  readonly #target: Target;
  #proof: DocumentReference | undefined;

  constructor(db: Firestore, target: Target) {
    this.db = db;
    this.#target = target;
  }

  /** A document that nothing but these writes creates: when it is there, they were applied. */
  get proof(): DocumentReference | undefined {
    return this.#proof;
  }

  /** Creates a document under an id that is made for it alone: the one write that an append-only collection takes. */
  create<Doc>(into: Collection<Doc>, id: string, doc: Doc): void {
    this.#proof ??= this.ref(into, id);
    this.#target.create(this.ref(into, id), into.encode(doc));
  }

  /** Creates a document that others may want to create too: fails the whole with `ALREADY_EXISTS` when they were first. */
  claim<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.create(this.ref(into, id), into.encode(doc));
  }

  replace<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.set(this.ref(into, id), into.encode(doc), { merge: false });
  }

  remove<Doc>(from: ChangeableCollection<Doc>, id: string): void {
    this.#target.delete(this.ref(from, id));
  }

  /** Replaces a document that is still as it was when it was read; fails the whole with `FAILED_PRECONDITION` when it is not. */
  replaceUnchanged<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc, stamp: Stamp): void {
    this.#target.update(this.ref(into, id), into.encode(doc), { lastUpdateTime: stamp });
  }

  /** Removes a document that is still as it was when it was read; fails the whole with `FAILED_PRECONDITION` when it is not. */
  removeUnchanged<Doc>(from: ChangeableCollection<Doc>, id: string, stamp: Stamp): void {
    this.#target.delete(this.ref(from, id), { lastUpdateTime: stamp });
  }

  /** Adds `by` to a number of a document, which is made from `rest` when it is not there. Reads nothing, so it never contends. */
  increment<Doc, Field extends keyof Doc & string>(
    into: ChangeableCollection<Doc>,
    id: string,
    field: Field,
    by: number,
    rest: Omit<Doc, Field>,
  ): void {
    const added = { [field]: FieldValue.increment(by), schema_version: SCHEMA_VERSION };
    this.#target.set(this.ref(into, id), { ...rest, ...added }, { merge: true });
  }

  /**
   * Adds to numbers of a document that is there, and leaves the rest, whatever it has become meanwhile: without a stamp it
   * never contends. Fails the whole with `NOT_FOUND` when the document is gone; with `FAILED_PRECONDITION` when a stamp is
   * given and the document is no longer as it was when it was read.
   */
  add<Doc>(to: ChangeableCollection<Doc>, id: string, by: Amounts<Doc>, stamp?: Stamp): void {
    const added = Object.entries(by).map(([field, amount]) => [field, FieldValue.increment(Number(amount))]);
    const precondition = stamp === undefined ? {} : { lastUpdateTime: stamp };
    this.#target.update(this.ref(to, id), Object.fromEntries(added), precondition);
  }

  /** Sets one time of a document and leaves the rest, whatever it has become meanwhile. Fails the whole with `NOT_FOUND` when the document is gone. */
  setInstant<Doc>(into: ChangeableCollection<Doc>, id: string, field: keyof Doc & string, at: Instant): void {
    this.#target.update(this.ref(into, id), { [field]: storeInstant(at) });
  }

  protected ref(into: { readonly name: string }, id: string) {
    return this.db.collection(into.name).doc(id);
  }
}

/** {@link Writes} decided on documents that stay as read until they are applied. Reads come before writes. */
export class Transaction extends Writes {
  readonly #tx: FirestoreTransaction;

  constructor(db: Firestore, tx: FirestoreTransaction) {
    super(db, tx);
    this.#tx = tx;
  }

  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    return from.decode(await this.#tx.get(this.ref(from, id)));
  }
}
