import { randomUUID } from 'node:crypto';
import type { Writes } from '../store/writes.ts';
import { AUDIT, type AuditEvent } from './event.ts';

/** The only writer of audit rows. Rows are created under ids made beforehand, so that a repeated commit cannot add a second. */
export class AuditLog {
  readonly #mayWrite: () => boolean;

  /** `mayWrite` is the local stack's fault: while it is false, every write that holds a row fails. */
  constructor(mayWrite: () => boolean) {
    this.#mayWrite = mayWrite;
  }

  /** A new row's id. */
  makeRowId(): string {
    return randomUUID();
  }

  /** Adds a row to what is written. */
  append(writes: Writes, event: AuditEvent, rowId: string = this.makeRowId()): void {
    if (!this.#mayWrite()) throw new Error('audit rows cannot be written');
    writes.create(AUDIT, rowId, event);
  }
}
