import type { z } from 'zod';
import type { Operation } from '../audit/event.ts';
import type { Admission } from '../auth/caller.ts';
import type { Env } from '../env.ts';
import type { ErrorCode } from '../errors.ts';
import type { Action } from '../tenancy/actions.ts';
import type { Request } from './request.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A JSON object of base64 by name; a field that is undefined is left out. */
export type BinaryFields = Readonly<Record<string, string | undefined>>;

/** What is answered: a status, and a JSON value or binary fields unless there is no body. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly binary?: BinaryFields;
}

/** What a route says of itself: the router, the OpenAPI document and the contract tests are made from this. */
export interface Description {
  /** The name of its operation, unique among them. */
  readonly id: string;
  readonly method: Method;
  /** An exact path; `{id}` stands for one UUID. */
  readonly path: string;
  readonly summary: string;
  readonly credential: Admission<unknown>['credential'] | 'signature' | 'none';
  /** The action that an API key needs. */
  readonly action: Action | undefined;
  /** What the audit log calls it. */
  readonly operation: Operation | undefined;
  /** The JSON that it takes; without it a body is ignored. */
  readonly body: z.ZodType | undefined;
  /** The parameters that it reads; without it a query is ignored. */
  readonly query: z.ZodObject | undefined;
  /** The statuses that it answers with `answer`: one of success, and 503 where the answer itself says what is wrong. */
  readonly statuses: readonly number[];
  /** The JSON of those; without it there is no body. */
  readonly answer: z.ZodType | undefined;
  /** Every code that it can refuse or fail with, in a deployment that has all configured. */
  readonly refuses: readonly ErrorCode[];
}

/** A route: what it says of itself, and what runs once the router has found it. */
export interface Route {
  readonly description: Description;
  respond(env: Env, request: Request): Promise<Reply>;
}
