import type { ErrorCode } from '../errors.ts';
import type { Answer, OperationId } from '../types.ts';
import type { Input } from './input.ts';

/** Performs another operation within the deadline of the call. */
export type Ask = <Id extends OperationId>(operation: Id, input: Input<Id>) => Promise<Answer<Id>>;

export interface Recovery<Id extends OperationId> {
  /** Resolves to the lost answer, or to `undefined` if the operation was not performed. */
  readonly find: (ask: Ask, requestId: string) => Promise<{ readonly answer: Answer<Id> } | undefined>;
  /** The error code that a retry gets if the first attempt succeeded. */
  readonly settledBy: ErrorCode | undefined;
}
