import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Request } from './request.ts';

/** How a route takes its input: from the body, from the query, or not at all. */
export interface InputReader<Input> {
  /** The shape of the JSON body, for the documents that describe the route. */
  readonly body?: z.ZodType;
  /** Whether a request without a body is accepted, as an empty object. */
  readonly isBodyOptional?: boolean;
  /** The shape of the query's parameters, likewise. */
  readonly query?: z.ZodObject;
  /** The codes that it refuses input with. */
  readonly refuses: readonly ErrorCode[];
  /** The input, checked. */
  read(request: Request): Promise<Input>;
}

/** No input: whatever body or query is sent is ignored. */
export const nothing: InputReader<undefined> = {
  refuses: [],
  async read({ message }) {
    ignoreBody(message);
  },
};

/** Lets go of a body that nobody reads as it comes: while it is held back, the request counts as not yet received. */
export function ignoreBody(message: IncomingMessage): void {
  if (!message.complete) message.resume();
}
