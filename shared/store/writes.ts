import type { Timestamp } from '@google-cloud/firestore';
import type { Instant } from '../base/clock.ts';
import { type ChangeableCollection, type Collection, readInstant, SCHEMA_VERSION, storeInstant } from './collection.ts';
import type { Additions, Commit, NumbersByName, UpdateTime } from './commit.ts';
import type { Marks } from './marks.ts';

export type Amounts<Doc> = { readonly [Field in keyof Doc as Doc[Field] extends number ? Field : never]?: number };

/** Amounts to add to number fields, and to numbers inside object fields. */
type Increments<Doc> = {
  readonly [Field in keyof Doc as Doc[Field] extends number | NumbersByName ? Field : never]?: Doc[Field];
};

type Collected = Pick<Commit, 'create' | 'set' | 'merge' | 'update' | 'delete'>;

/** Collects the writes of one commit, and the functions to call once it is applied. */
export class Writes {
  readonly #commit: Collected;
  readonly #marks: Marks | undefined;
  readonly #newMarks: string[] = [];
  readonly #followUps: ((commitTime: Instant) => void)[] = [];
  #commitMarker: string | undefined;

  /** If `marks` is `undefined`, the writes store no marks. */
  constructor(commit: Collected, marks?: Marks) {
    this.#commit = commit;
    this.#marks = marks;
  }

  /** The path of a document that only these writes create. If the document exists, the writes were applied. */
  get commitMarker(): string | undefined {
    return this.#commitMarker;
  }

  /** Creates a document under a unique id. This is the only write to an append-only collection. */
  create<Doc>(into: Collection<Doc>, id: string, doc: Doc): void {
    this.#commitMarker ??= pathOf(into, id);
    this.#commit.create(pathOf(into, id), into.encode(doc));
  }

  /** Creates a document under an id that others may use. The commit fails with `ALREADY_EXISTS` if it exists. */
  claim<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#commit.create(pathOf(into, id), into.encode(doc));
  }

  /** Stores a mark, unless this process has stored a mark with this name. Each process uses a different document. */
  mark<Doc>(into: ChangeableCollection<Doc>, name: string, doc: Doc): void {
    const id = this.#newMarks.includes(name) ? undefined : this.#marks?.idToStore(name);
    if (id === undefined) return;
    this.#newMarks.push(name);
    this.put(into, id, doc);
  }

  /** Calls `followUp` with the commit time once these writes are applied. A later commit has a later commit time. */
  onApplied(followUp: (commitTime: Instant) => void): void {
    this.#followUps.push(followUp);
  }

  noteApplied(commitTime: Timestamp): void {
    this.#marks?.noteStored(this.#newMarks);
    for (const followUp of this.#followUps) followUp(readInstant(commitTime));
  }

  /** Writes a document. Replaces an existing document completely. */
  put<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#commit.set(pathOf(into, id), into.encode(doc));
  }

  /** Sets all fields that this release knows. The commit fails with `NOT_FOUND` if the document is missing. */
  replace<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc): void {
    this.#commit.update(pathOf(into, id), into.encode(doc), {});
  }

  remove<Doc>(from: ChangeableCollection<Doc>, id: string): void {
    this.#commit.delete(pathOf(from, id));
  }

  /** Like {@link replace}, but the commit fails with `FAILED_PRECONDITION` if the document's update time differs. */
  replaceUnchanged<Doc>(into: ChangeableCollection<Doc>, id: string, doc: Doc, updateTime: UpdateTime): void {
    this.#commit.update(pathOf(into, id), into.encode(doc), {}, updateTime);
  }

  removeUnchanged<Doc>(from: ChangeableCollection<Doc>, id: string, updateTime: UpdateTime): void {
    this.#commit.delete(pathOf(from, id), updateTime);
  }

  /** Adds to a document's numbers, or creates a missing document with `rest`. Never conflicts. */
  increment<Doc, By extends Increments<Doc> & Additions>(
    into: ChangeableCollection<Doc>,
    id: string,
    by: By,
    rest: Omit<Doc, keyof By>,
  ): void {
    this.#commit.merge(pathOf(into, id), { ...rest, schema_version: SCHEMA_VERSION }, by);
  }

  /** Adds to a document's numbers. The commit fails if the document is missing or its update time differs. */
  add<Doc>(to: ChangeableCollection<Doc>, id: string, by: Amounts<Doc> & Additions, updateTime?: UpdateTime): void {
    this.#commit.update(pathOf(to, id), {}, by, updateTime);
  }

  /** Sets one time field. The commit fails with `NOT_FOUND` if the document is missing. */
  setInstant<Doc>(into: ChangeableCollection<Doc>, id: string, field: keyof Doc & string, at: Instant): void {
    this.#commit.update(pathOf(into, id), { [field]: storeInstant(at) }, {});
  }
}

function pathOf({ name }: { readonly name: string }, id: string): string {
  return `${name}/${id}`;
}
