import type { DocumentData, Timestamp } from '@google-cloud/firestore';
import { endOfOperation, type FirestoreApi, type Write } from './firestore-api.ts';
import { encodeFields, encodeTimestamp } from './values.ts';

type FieldTransform = NonNullable<Write['updateTransforms']>[number];

/** When Firestore last wrote a document. */
export type UpdateTime = Timestamp;

export type NumbersByName = Readonly<Record<string, number>>;

/** Amounts to add to number fields, and to numbers inside object fields. */
export interface Additions {
  readonly [field: string]: number | NumbersByName | undefined;
}

const SIMPLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The writes of one commit, by path. */
export class Commit {
  readonly #api: FirestoreApi;
  readonly #writes: Write[] = [];

  constructor(api: FirestoreApi) {
    this.#api = api;
  }

  /** Fails if the document exists. */
  create(path: string, data: DocumentData): void {
    this.#writes.push({ update: this.#document(path, data), currentDocument: { exists: false } });
  }

  set(path: string, data: DocumentData): void {
    this.#writes.push({ update: this.#document(path, data) });
  }

  /** Sets only the named fields. Creates a missing document. */
  merge(path: string, data: DocumentData, additions: Additions): void {
    this.#writes.push(this.#change(path, data, additions));
  }

  /** Sets only the named fields. Fails if the document is missing or has another update time. */
  update(path: string, data: DocumentData, additions: Additions, updateTime?: UpdateTime): void {
    this.#writes.push({ ...this.#change(path, data, additions), currentDocument: precondition(updateTime) });
  }

  delete(path: string, updateTime?: UpdateTime): void {
    const unchanged = updateTime && { currentDocument: precondition(updateTime) };
    this.#writes.push({ delete: this.#api.nameOf(path), ...unchanged });
  }

  /** Changes nothing, but the commit fails with `FAILED_PRECONDITION` if the document's update time differs. */
  verify(path: string, updateTime?: UpdateTime): void {
    this.update(path, {}, {}, updateTime);
  }

  /** Applies the writes, all or none. Returns the commit time, which a transaction without writes may lack. */
  apply(endsAt = endOfOperation(), transaction?: Uint8Array): Promise<Timestamp | undefined> {
    return this.#api.commit(this.#writes, endsAt, transaction);
  }

  #change(path: string, data: DocumentData, additions: Additions): Write {
    return {
      update: this.#document(path, data),
      updateMask: { fieldPaths: Object.keys(data).map(quoted) },
      updateTransforms: transforms(additions),
    };
  }

  #document(path: string, data: DocumentData) {
    return { name: this.#api.nameOf(path), fields: encodeFields(data) };
  }
}

function precondition(updateTime?: UpdateTime) {
  return updateTime === undefined ? { exists: true } : { updateTime: encodeTimestamp(updateTime) };
}

function quoted(name: string): string {
  return SIMPLE.test(name) ? name : `\`${name}\``;
}

function transforms(additions: Additions, within = ''): FieldTransform[] {
  return Object.entries(additions).flatMap(([name, amount = 0]) => {
    const fieldPath = within + quoted(name);
    return typeof amount === 'number'
      ? { fieldPath, increment: { integerValue: amount } }
      : transforms(amount, `${fieldPath}.`);
  });
}
