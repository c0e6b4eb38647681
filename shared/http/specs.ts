import type { z } from 'zod';
import type { Operation } from '../audit/event.ts';
import type { Admission, ApiKeyCaller, Caller } from '../auth/caller.ts';
import type { Env } from '../env.ts';
import type { ErrorCode } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Meter, MeterReader } from '../metering/meter.ts';
import type { Action } from '../tenancy/actions.ts';
import type { InputReader } from './input.ts';
import type { Request } from './request.ts';
import type { BinaryFields, Method } from './route.ts';

/** What all routes say of themselves. */
export interface Common<Admitted, Input, Answer> {
  /** The name of its operation: what the audit log calls it, where that does. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly admits: Admission<Admitted>;
  readonly action?: Action;
  readonly operation?: Operation;
  readonly takes: InputReader<Input>;
  /** The codes that its handler refuses with: those of the steps before it are the pipeline's to say. */
  readonly refuses?: readonly ErrorCode[];
  readonly status: number;
  readonly answer?: z.ZodType<unknown, Answer>;
}

/** What a handler works with once the checks before it have passed. */
export interface Context<Admitted, Input> {
  readonly env: Env;
  readonly request: Request;
  readonly caller: Admitted;
  readonly input: Input;
}

/** What a handler of a route about a key works with. */
export type KeyContext<Admitted, Input> = Context<Admitted, Input> & { readonly key: Key };
/** What a handler of a metered operation works with. */
export type MeteredContext<Input> = KeyContext<ApiKeyCaller, Input> & { readonly meter: Meter };

/** A `GET` that needs no credential, and says itself with which status it answers. */
export interface OpenSpec<Answer> {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly statuses: readonly number[];
  readonly answer: z.ZodType<unknown, Answer>;
  respond(env: Env): Promise<{ readonly status: number; readonly body: Answer }>;
}

/** A route about no single thing. */
export interface PlainSpec<Admitted, Input, Answer> extends Common<Admitted, Input, Answer> {
  handle(context: Context<Admitted, Input>): Promise<Answer>;
}

/** A route about one thing of the console's, named in the path. */
export interface ResourceSpec<Name, Admitted, Input, Answer> extends Common<Admitted, Input, Answer> {
  /** Reads the id in the path, as an id of the thing that the route is about. */
  pathId(text: string): Name | undefined;
  handle(context: Context<Admitted, Input> & { readonly id: Name }): Promise<Answer>;
}

/** The creation of a key. */
export interface CreateSpec<Input, Answer> extends Common<Caller, Input, Answer> {
  readonly action: Action;
  readonly operation: Operation;
  handle(context: Context<Caller, Input>): Promise<Answer>;
}

/** A route about one key. */
export interface KeySpec<Admitted extends Caller, Input, Answer> extends Common<Admitted, Input, Answer> {
  /** Whether a destroyed key is found, too. */
  readonly destroyedToo?: true;
  handle(context: KeyContext<Admitted, Input>): Promise<Answer>;
}

/** One of the five metered operations. */
export interface MeteredSpec<Input, Answer extends BinaryFields> extends Common<ApiKeyCaller, Input, Answer> {
  readonly action: Action;
  readonly operation: Operation;
  /** Asks for the count and the standing that decide steps 13 and 14. */
  readonly meter: MeterReader;
  handle(context: MeteredContext<Input>): Promise<Answer>;
}
