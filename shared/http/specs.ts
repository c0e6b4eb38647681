import type { z } from 'zod';
import type { RecordNeeds, RequestOrigin } from '../audit/record.ts';
import type { Admission } from '../auth/admission.ts';
import type { EarlyDecisions } from '../auth/early-decisions.ts';
import type { IdentifyNeeds } from '../auth/needs.ts';
import type { Policy } from '../auth/policy.ts';
import type { SecretBytes } from '../crypto/secret-bytes.ts';
import type { ApiError, ErrorCode } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { GroupCommit } from '../metering/group-commit.ts';
import type { Meters } from '../metering/meter.ts';
import type { MeteredOperation, Operation } from '../operations.ts';
import type { ApiKeyCaller, Caller } from '../tenancy/caller.ts';
import type { Dialect } from './dialect.ts';
import type { InputReader } from './input.ts';
import type { KeyFinder } from './key-finder.ts';
import type { BinaryFields, Method, Page } from './route.ts';

/** What all routes with a credential say of themselves. */
export interface Common<Admitted, Input, Answer> {
  /** The name of its operation, and what the audit log calls it unless `operation` says so. */
  readonly id: string;
  readonly operation?: Operation;
  /** The service's own unless it says another. */
  readonly dialect?: Dialect;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly admits: Admission<Admitted>;
  readonly takes: InputReader<Input>;
  /** The codes that its handler refuses with: those of the steps before it are the pipeline's to say. */
  readonly refuses?: readonly ErrorCode[];
  readonly status: number;
  /** Other statuses than that with which the answer itself says what is wrong. */
  readonly otherStatuses?: readonly number[];
  readonly answer?: z.ZodType<unknown, Answer>;
  /** Whether its handler answers a {@link Page}. */
  readonly paged?: true;
  /** Whether its handler answers a text that is no JSON. */
  readonly plainText?: true;
}

/** What a handler works with once the checks before it have passed. */
export interface Context<Admitted, Input> {
  readonly origin: RequestOrigin<Admitted>;
  readonly caller: Admitted;
  readonly input: Input;
}

/** What a handler of a route about a key works with. */
export type KeyContext<Admitted, Input> = Context<Admitted, Input> & { readonly key: Key };

/** A `GET` that needs no credential, and says itself with which status it answers. */
export interface OpenSpec<Needs, Answer> {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly statuses: readonly number[];
  readonly answer: z.ZodType<unknown, Answer>;
  readonly respond: (needs: Needs) => Promise<{ readonly status: number; readonly body: Answer }>;
}

/** A route about no single thing. */
export interface PlainSpec<Needs, Admitted, Input, Answer> extends Common<Admitted, Input, Answer> {
  /** `pathName` is the `{name}` of the path, percent-decoded; empty where it has none. */
  readonly handle: (
    needs: Needs,
    context: Context<Admitted, Input> & { readonly pathName: string },
  ) => Promise<Answer | Page<Answer>>;
}

/** A route about one thing that the path names, a key apart. */
export interface ResourceSpec<Needs, Name, Admitted, Input, Answer> extends Common<Admitted, Input, Answer> {
  /** Reads the id in the path, as an id of the thing that the route is about. */
  readonly pathId: (text: string) => Name | undefined;
  readonly handle: (needs: Needs, context: Context<Admitted, Input> & { readonly id: Name }) => Promise<Answer>;
}

/** A route that reads something of one key. */
export interface KeySpec<Needs, Admitted extends Caller, Input, Answer> extends Common<Admitted, Input, Answer> {
  /** How the path names the key: by its id unless this says otherwise. */
  readonly findsKey?: KeyFinder<Needs & IdentifyNeeds>;
  /** Whether a destroyed key is found, too. */
  readonly destroyedToo?: true;
  readonly handle: (needs: Needs, context: KeyContext<Admitted, Input>) => Promise<Answer | Page<Answer>>;
}

/** A recorded operation on one key. */
export interface OperationSpec<Needs, Admitted extends Caller, Input, Answer> extends Common<Admitted, Input, Answer> {
  readonly operation: Operation;
  /** How the path names the key: by its id unless this says otherwise. */
  readonly findsKey?: KeyFinder<Needs & OperationNeeds>;
  readonly handle: (needs: Needs, context: KeyContext<Admitted, Input>) => Promise<Answer>;
}

/** What it takes to check, count and record an operation on a key. */
export interface OperationNeeds extends IdentifyNeeds, RecordNeeds {
  readonly policy: Policy;
  readonly earlyDecisions: EarlyDecisions;
}

/** What it takes besides to meter it. */
export interface MeteredNeeds extends OperationNeeds {
  readonly meters: Meters;
  readonly commits: GroupCommit;
}

/** A key, and what must not outlive the operation: the bytes that are put in are wiped when it ends. */
export interface Used {
  readonly key: Key;
  readonly secrets: SecretBytes;
}

/** What a metered operation does, however it is asked for. */
export interface Work<Needs, Input, Material, Result> {
  readonly operation: MeteredOperation;
  /** Whether it makes new ciphertext, which under a paid key takes billing in good standing. */
  readonly makesCiphertext: boolean;
  /** The codes that it refuses with besides those of all metered operations. */
  readonly refuses: readonly ErrorCode[];
  /** Reads and checks the fields: step 11. `aadField` is what the field of the aad is called. */
  readonly read: (used: Used, input: Input, aadField?: string) => Material;
  /** Does the cryptography: step 15. */
  readonly perform: (needs: Needs, used: Used, material: Material) => Promise<Result>;
}

/** A metered operation as the service's own interface has it. */
export interface MeteredSpec<Needs, Input, Material, Result, Answer extends BinaryFields>
  extends Work<Needs, Input, Material, Result> {
  readonly summary: string;
  readonly takes: InputReader<Input>;
  readonly answer: z.ZodType<unknown, Answer>;
  readonly view: (result: Result) => Answer;
}

/** What a request for a metered operation holds: one value, or several, each of which is read by itself when its turn comes. */
export type Values<Input> = { readonly one: Input } | { readonly several: readonly (() => Input)[] };

/** How one of several values ended. */
export type Outcome<One> = { readonly done: One } | { readonly failed: ApiError };

/** What the answer is made of: what one value gave, or how each of several ended. */
export type Given<One> = { readonly one: One } | { readonly several: readonly Outcome<One>[] };

/** A metered operation on a key by its name, whose requests may hold several values: each is an operation of its own, and is decided alone. */
export interface ValuesSpec<Needs, Input, Material, Result, One, Answer>
  extends Omit<Common<ApiKeyCaller, Values<Input>, Answer>, 'admits' | 'operation'> {
  readonly work: Work<Needs, Input, Material, Result>;
  readonly view: (result: Result) => One;
  readonly reply: (requestId: string, given: Given<One>) => AnyReply<Answer>;
}

/** An answer, with another status than the route's own where it has one. */
export interface AnyReply<Answer> {
  readonly body: Answer;
  readonly status?: number;
}
