import type { ErrorCode } from '../errors.ts';
import type { Answer, OperationId } from '../types.ts';
import type { Input } from './input.ts';

/** Performs another operation in the time of the call that needs it. */
export type Ask = <Id extends OperationId>(operation: Id, input: Input<Id>) => Promise<Answer<Id>>;

/** How a call whose answer was lost learns that it was performed all the same. */
export interface Recovery<Id extends OperationId> {
  /** Resolves to what was not answered, `undefined` where it was not performed. */
  readonly find: (ask: Ask, requestId: string) => Promise<{ readonly answer: Answer<Id> } | undefined>;
  /** The refusal of a second asking that there is where the first was performed. */
  readonly settledBy: ErrorCode | undefined;
}
