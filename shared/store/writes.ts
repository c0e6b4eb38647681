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
import type { Marks } from './marks.ts';

/** The time of a document's last write; each write has another. */
export type UpdateTime = Timestamp;

export type Amounts<Doc> = { readonly [Field in keyof Doc as Doc[Field] extends number ? Field : never]?: number };

/** Amounts to add to number fields, and to the named numbers inside object fields. */
export type Increments<Doc> = {
  readonly [Field in keyof Doc as Doc[Field] extends number | NumbersByName ? Field : never]?: Doc[Field];
};

type NumbersByName = Readonly<Record<string, number>>;

interface Target {
  create(ref: DocumentReference, data: DocumentData): unknown;
  set(ref: DocumentReference, data: DocumentData, options: SetOptions): unknown;
  update(ref: DocumentReference, data: DocumentData, precondition?: Precondition): unknown;
  delete(ref: DocumentReference, precondition?: Precondition): unknown;
}

export class Writes {
  protected readonly db: Firestore;
  readonly #target: Target;
  readonly #marks: Marks | undefined;
  readonly #leaves: string[] = [];
  #commitMarker: DocumentReference | undefined;

  /** Without `marks` none is left: nobody looks for them. */
  constructor(db: Firestore, target: Target, marks?: Marks) {
    this.db = db;
    this.#target = target;
    this.#marks = marks;
  }

  /** The commit marker: a document that only these writes create, so its existence proves that they were applied. */
  get commitMarker(): DocumentReference | undefined {
    return this.#commitMarker;
  }

  /** Creates a document under a unique id; the only write to an append-only collection. */
  create<Doc>(into: Collection<Doc>, id: string, doc: Doc): void {
    this.#commitMarker ??= this.ref(into, id);
    this.#target.create(this.ref(into, id), into.encode(doc));
  }

  /** Creates a document under an id that others may claim; the commit fails with `ALREADY_EXISTS` when it is taken. */
  claim<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.create(this.ref(into, id), into.encode(doc));
  }

  /**
   * Leaves a document that tells a scheduled function where there is work, unless this process has left one of that name. The
   * id is the name and the process's own, so that this waits for nobody.
   */
  mark<Doc>(into: ChangeableCollection<Doc>, name: string, doc: Doc): void {
    const id = this.#leaves.includes(name) ? undefined : this.#marks?.idToLeave(name);
    if (id === undefined) return;
    this.#leaves.push(name);
    this.replace(into, id, doc);
  }

  /** To be called once these writes are applied. */
  noteApplied(): void {
    this.#marks?.noteLeft(this.#leaves);
  }

  replace<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.set(this.ref(into, id), into.encode(doc), { merge: false });
  }

  remove<Doc>(from: ChangeableCollection<Doc>, id: string): void {
    this.#target.delete(this.ref(from, id));
  }

  /** The commit fails with `FAILED_PRECONDITION` unless the document's update time is `updateTime`. */
  replaceUnchanged<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc, updateTime: UpdateTime): void {
    this.#target.update(this.ref(into, id), into.encode(doc), { lastUpdateTime: updateTime });
  }

  removeUnchanged<Doc>(from: ChangeableCollection<Doc>, id: string, updateTime: UpdateTime): void {
    this.#target.delete(this.ref(from, id), { lastUpdateTime: updateTime });
  }

  /** Adds to a document's numbers, creating it with `rest` if needed. Never conflicts. */
  increment<Doc, By extends Increments<Doc>>(
    into: ChangeableCollection<Doc>,
    id: string,
    by: By,
    rest: Omit<Doc, keyof By>,
  ): void {
    const added = { ...toIncrements(by), schema_version: SCHEMA_VERSION };
    this.#target.set(this.ref(into, id), { ...rest, ...added }, { merge: true });
  }

  /**
   * Adds to an existing document's numbers. The commit fails with `NOT_FOUND` when it does not exist, and with
   * `FAILED_PRECONDITION` when `updateTime` is given and differs.
   */
  add<Doc>(to: ChangeableCollection<Doc>, id: string, by: Amounts<Doc>, updateTime?: UpdateTime): void {
    const added = Object.entries(by).map(([field, amount]) => [field, FieldValue.increment(Number(amount))]);
    const precondition = updateTime === undefined ? {} : { lastUpdateTime: updateTime };
    this.#target.update(this.ref(to, id), Object.fromEntries(added), precondition);
  }

  /** Sets one time field. The commit fails with `NOT_FOUND` when the document does not exist. */
  setInstant<Doc>(into: ChangeableCollection<Doc>, id: string, field: keyof Doc & string, at: Instant): void {
    this.#target.update(this.ref(into, id), { [field]: storeInstant(at) });
  }

  protected ref(into: { readonly name: string }, id: string) {
    return this.db.doc(`${into.name}/${id}`);
  }
}

function toIncrements(by: object): DocumentData {
  const entries: [string, unknown][] = Object.entries(by);
  return Object.fromEntries(
    entries.map(([name, amount]) => [
      name,
      typeof amount === 'object' && amount !== null ? toIncrements(amount) : FieldValue.increment(Number(amount)),
    ]),
  );
}

/** Writes with reads that stay valid until the commit. Reads must come before writes. */
export class Transaction extends Writes {
  readonly #tx: FirestoreTransaction;

  constructor(db: Firestore, tx: FirestoreTransaction, marks?: Marks) {
    super(db, tx, marks);
    this.#tx = tx;
  }

  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    return from.decode(await this.#tx.get(this.ref(from, id)));
  }
}
