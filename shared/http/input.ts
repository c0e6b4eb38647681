import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Request } from './request.ts';

/** Reads the input of a route from its body or query. */
export interface InputReader<Input> {
  readonly body?: z.ZodType;
  readonly isBodyOptional?: boolean;
  readonly query?: z.ZodObject;
  readonly refuses: readonly ErrorCode[];
  read(request: Request): Promise<Input>;
}

/** For routes without input. A body is read and ignored. */
export const nothing: InputReader<undefined> = {
  refuses: [],
  async read({ message }) {
    ignoreBody(message);
  },
};

/** Reads the body and drops it. If the body stayed unread, the request would look incomplete. */
export function ignoreBody(message: IncomingMessage): void {
  if (!message.complete) message.resume();
}
