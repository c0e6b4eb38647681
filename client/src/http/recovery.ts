import type { ErrorCode } from '../errors.ts';
import type { Answer, OperationId } from '../types.ts';
import type { Input } from './input.ts';

/** Performs another operation within the deadline of the call. */
export type Call = <Id extends OperationId>(operation: Id, input: Input<Id>) => Promise<Answer<Id>>;

/** How to find out, after a response was lost, whether the operation succeeded. */
export interface Recovery<Id extends OperationId> {
  /** Resolves to the lost answer, or to `undefined` if the first attempt had no effect. */
  readonly find: (call: Call, requestId: string) => Promise<{ readonly answer: Answer<Id> } | undefined>;
  /** The error code that a retry gets if the first attempt succeeded. */
  readonly codeIfDone: ErrorCode | undefined;
}
