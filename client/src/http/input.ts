import type { Body, OperationId, Query } from '../types.ts';

export interface Input<Id extends OperationId> {
  readonly id?: string;
  readonly body?: Body<Id>;
  readonly query?: Query<Id>;
}
