import type { DocumentData, Timestamp } from '@google-cloud/firestore';
import type { Instant } from '../base/clock.ts';
import { type ChangeableCollection, type Collection, readInstant, SCHEMA_VERSION, storeInstant } from './collection.ts';
import type { Marks } from './marks.ts';

/** The time of a document's last write; each write has another. */
export type UpdateTime = Timestamp;

export type Amounts<Doc> = { readonly [Field in keyof Doc as Doc[Field] extends number ? Field : never]?: number };

/** Amounts to add to number fields, and to the named numbers inside object fields. */
export type Increments<Doc> = {
  readonly [Field in keyof Doc as Doc[Field] extends number | NumbersByName ? Field : never]?: Doc[Field];
};

type NumbersByName = Readonly<Record<string, number>>;

/** Amounts to add to number fields, and to numbers inside map fields. */
export interface Additions {
  readonly [field: string]: number | NumbersByName | undefined;
}

/** What writes go to: documents by their paths, and a condition under which all of them are refused. */
export interface Target {
  /** Refused where the document exists. */
  create(path: string, data: DocumentData): unknown;
  set(path: string, data: DocumentData): unknown;
  /** Sets the named fields alone, and creates the document where there is none. */
  merge(path: string, data: DocumentData, additions: Additions): unknown;
  /** Sets the named fields alone; refused where the document does not exist or has another update time. */
  update(path: string, data: DocumentData, additions: Additions, updateTime?: UpdateTime): unknown;
  /** Refused where an update time is given and the document has another. */
  delete(path: string, updateTime?: UpdateTime): unknown;
}

export class Writes {
  readonly #target: Target;
  readonly #marks: Marks | undefined;
  readonly #leaves: string[] = [];
  readonly #followUps: ((commitTime: Instant) => void)[] = [];
  #commitMarker: string | undefined;

  /** Without `marks` none is left: nobody looks for them. */
  constructor(target: Target, marks?: Marks) {
    this.#target = target;
    this.#marks = marks;
  }

  /** The path of the commit marker: a document that only these writes create, so its existence proves that they were applied. */
  get commitMarker(): string | undefined {
    return this.#commitMarker;
  }

  /** Creates a document under a unique id; the only write to an append-only collection. */
  create<Doc>(into: Collection<Doc>, id: string, doc: Doc): void {
    this.#commitMarker ??= pathOf(into, id);
    this.#target.create(pathOf(into, id), into.encode(doc));
  }

  /** Creates a document under an id that others may claim; the commit fails with `ALREADY_EXISTS` when it is taken. */
  claim<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.create(pathOf(into, id), into.encode(doc));
  }

  /**
   * Leaves a document that tells a scheduled function where there is work, unless this process has left one of that name. The
   * id is the name and the process's own, so that this waits for nobody.
   */
  mark<Doc>(into: ChangeableCollection<Doc>, name: string, doc: Doc): void {
    const id = this.#leaves.includes(name) ? undefined : this.#marks?.idToLeave(name);
    if (id === undefined) return;
    this.#leaves.push(name);
    this.put(into, id, doc);
  }

  /** Calls `followUp` once these writes are applied, and only then. Commit times are in the order of the commits. */
  onApplied(followUp: (commitTime: Instant) => void): void {
    this.#followUps.push(followUp);
  }

  /** To be called once these writes are applied. */
  noteApplied(commitTime: Timestamp): void {
    this.#marks?.noteLeft(this.#leaves);
    for (const followUp of this.#followUps) followUp(readInstant(commitTime));
  }

  /** Writes a document whether it exists or not. Nothing stays of an earlier one. */
  put<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.set(pathOf(into, id), into.encode(doc));
  }

  /**
   * Replaces all fields of an existing document but those that only the next release knows. The commit fails with `NOT_FOUND`
   * when the document does not exist.
   */
  replace<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#target.update(pathOf(into, id), into.encode(doc), {});
  }

  remove<Doc>(from: ChangeableCollection<Doc>, id: string): void {
    this.#target.delete(pathOf(from, id));
  }

  /** {@link replace}. The commit fails with `FAILED_PRECONDITION` unless the document's update time is `updateTime`. */
  replaceUnchanged<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc, updateTime: UpdateTime): void {
    this.#target.update(pathOf(into, id), into.encode(doc), {}, updateTime);
  }

  removeUnchanged<Doc>(from: ChangeableCollection<Doc>, id: string, updateTime: UpdateTime): void {
    this.#target.delete(pathOf(from, id), updateTime);
  }

  /** Adds to a document's numbers, creating it with `rest` if needed. Never conflicts. */
  increment<Doc, By extends Increments<Doc> & Additions>(
    into: ChangeableCollection<Doc>,
    id: string,
    by: By,
    rest: Omit<Doc, keyof By>,
  ): void {
    this.#target.merge(pathOf(into, id), { ...rest, schema_version: SCHEMA_VERSION }, by);
  }

  /**
   * Adds to an existing document's numbers. The commit fails with `NOT_FOUND` when it does not exist, and with
   * `FAILED_PRECONDITION` when `updateTime` is given and differs.
   */
  add<Doc>(to: ChangeableCollection<Doc>, id: string, by: Amounts<Doc> & Additions, updateTime?: UpdateTime): void {
    this.#target.update(pathOf(to, id), {}, by, updateTime);
  }

  /** Sets one time field. The commit fails with `NOT_FOUND` when the document does not exist. */
  setInstant<Doc>(into: ChangeableCollection<Doc>, id: string, field: keyof Doc & string, at: Instant): void {
    this.#target.update(pathOf(into, id), { [field]: storeInstant(at) }, {});
  }
}

function pathOf({ name }: { readonly name: string }, id: string): string {
  return `${name}/${id}`;
}
