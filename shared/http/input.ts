import type { z } from 'zod';
import type { Request } from './request.ts';

/** How a route takes its input: from the body, from the query, or not at all. */
export interface InputReader<Input> {
  /** The shape of the JSON body, for the documents that describe the route. */
  readonly body?: z.ZodType<Input>;
  /** The shape of the query's parameters, likewise. */
  readonly query?: z.ZodObject;
  /** The input, checked. */
  read(request: Request): Promise<Input>;
}

/** No input: whatever body or query is sent is ignored. */
export const nothing: InputReader<undefined> = { read: () => Promise.resolve(undefined) };
