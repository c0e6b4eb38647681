import type { Body, OperationId, Query } from '../types.ts';

/** What an operation is called with. */
export interface Input<Id extends OperationId> {
  /** What its path names. */
  readonly id?: string;
  readonly body?: Body<Id>;
  readonly query?: Query<Id>;
}
