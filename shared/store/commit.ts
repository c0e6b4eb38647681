import type { DocumentData, Timestamp } from '@google-cloud/firestore';
import type { FirestoreApi, Write } from './firestore-api.ts';
import { encodeFields, encodeTimestamp } from './values.ts';
import type { Additions, Target, UpdateTime } from './writes.ts';

type FieldTransform = NonNullable<Write['updateTransforms']>[number];

const SIMPLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class Commit implements Target {
  readonly #api: FirestoreApi;
  readonly #writes: Write[] = [];

  constructor(api: FirestoreApi) {
    this.#api = api;
  }

  create(path: string, data: DocumentData): void {
    this.#writes.push({ update: this.#document(path, data), currentDocument: { exists: false } });
  }

  set(path: string, data: DocumentData): void {
    this.#writes.push({ update: this.#document(path, data) });
  }

  merge(path: string, data: DocumentData, additions: Additions): void {
    this.#writes.push(this.#change(path, data, additions));
  }

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

  /** Applies the writes, all or none. Returns the commit time. */
  apply(): Promise<Timestamp> {
    return this.#api.commit(this.#writes);
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
