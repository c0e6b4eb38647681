import type { z } from 'zod';
import type { RequestOrigin } from '../audit/record.ts';
import type { Admission } from '../auth/admission.ts';
import type { Id, TenantId } from '../base/ids.ts';
import type { ErrorCode } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Meter } from '../metering/meter.ts';
import type { Administration, MeteredOperation, Operation, Recordable } from '../operations.ts';
import type { Services } from '../services.ts';
import type { ApiKeyCaller, Caller, SessionCaller } from '../tenancy/caller.ts';
import type { RecordChange } from '../tenancy/record-change.ts';
import type { Dialect } from './dialect.ts';
import type { Feature } from './feature.ts';
import type { InputReader } from './input.ts';
import type { KeyLookup } from './key-lookup.ts';
import type { Method, Page, Reply } from './route.ts';
import type { Tag } from './tags.ts';

/** What every route with a credential declares. */
export interface Spec<Admitted, Input, Answer> {
  /** The name of its operation, unique among the routes. */
  readonly id: string;
  /** What the audit log calls it. Without it the route is not recorded, unless the route's kind is. */
  readonly operation?: Recordable;
  /** The service's own unless it says another. */
  readonly dialect?: Dialect;
  /** The feature without which a deployment does not have it. */
  readonly feature?: Feature;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  /** One to three sentences: what it does, what it needs, what to know. */
  readonly description: string;
  readonly tag: Tag;
  readonly admits: Admission<Admitted>;
  readonly takes: InputReader<Input>;
  /** The codes that its handler refuses with; those of the steps before follow from the route. */
  readonly refuses?: readonly ErrorCode[];
  readonly status: number;
  /** Other statuses with which `answer` itself says what is wrong. */
  readonly otherStatuses?: readonly number[];
  readonly answer?: z.ZodType<unknown, Answer>;
  /** Whether it is a list or report, whose length depends on what the tenant has: each tenant reads one at a time. */
  readonly isReport?: true;
  /** Whether its handler answers a {@link Page}. */
  readonly paged?: true;
  /** Whether its handler answers plain text. */
  readonly plainText?: true;
}

/** What a handler works with once the steps before it have passed. */
export interface Context<Admitted, Input> {
  readonly origin: RequestOrigin<Admitted>;
  readonly caller: Admitted;
  readonly input: Input;
  /** The `{name}` of the path, percent-decoded; empty where it has none. */
  readonly pathName: string;
  /** The address that the request came from, as its connection or the last trusted proxy says it. */
  readonly clientAddress: string | undefined;
}

/** A `GET` without a credential. It chooses its status itself. */
export interface OpenSpec<Answer> {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  /** One to three sentences: what it does, what it needs, what to know. */
  readonly description: string;
  readonly tag: Tag;
  readonly statuses: readonly number[];
  readonly answer: z.ZodType<unknown, Answer>;
  respond(services: Services): Promise<{ readonly status: number; readonly body: Answer }>;
}

/** A route about no single thing. */
export interface PlainSpec<Admitted, Input, Answer> extends Spec<Admitted, Input, Answer> {
  handle(services: Services, context: Context<Admitted, Input>): Promise<Answer | Page<Answer>>;
}

/** What the handler of a change of the tenant works with besides. */
export interface Recording {
  /** Adds the audit row of the change to a commit. */
  readonly record: RecordChange;
}

/** A route that changes the tenant besides its keys; it is recorded. */
export interface ChangeSpec<Input, Answer> extends Spec<SessionCaller, Input, Answer> {
  readonly operation: Administration;
  /** What a refusal is recorded about; nothing where a thing is created. */
  readonly target?: (caller: SessionCaller) => Id<string>;
  handle(services: Services, context: Context<SessionCaller, Input> & Recording): Promise<Answer>;
}

/** A route of the console about one thing that the path names, other than a key. */
export interface ResourceSpec<Id, Input, Answer> extends Spec<SessionCaller, Input, Answer> {
  /** Parses the id in the path. */
  readonly pathId: (text: string) => Id | undefined;
  handle(services: Services, context: Context<SessionCaller, Input> & { readonly id: Id }): Promise<Answer>;
}

/** A route that changes one thing of the tenant other than a key; it is recorded. */
export interface ResourceChangeSpec<ThingId extends Id<string>, Input, Answer>
  extends Spec<SessionCaller, Input, Answer> {
  readonly operation: Administration;
  /** Parses the id in the path. */
  readonly pathId: (text: string) => ThingId | undefined;
  /** Finds the thing; throws `not_found` unless it is the tenant's. */
  find(services: Pick<Services, 'store' | 'clock'>, tenantId: TenantId, id: ThingId): Promise<unknown>;
  /** Whether the caller's role does not matter for this thing. */
  readonly isOwn?: (caller: SessionCaller, id: ThingId) => boolean;
  handle(
    services: Services,
    context: Context<SessionCaller, Input> & Recording & { readonly id: ThingId },
  ): Promise<Answer>;
}

/** An operation that creates a key; it is recorded. */
export interface CreationSpec<Admitted extends Caller, Input, Answer> extends Spec<Admitted, Input, Answer> {
  readonly operation: Operation;
  handle(services: Services, context: Context<Admitted, Input>): Promise<Answer>;
}

/** A route about one key; with an `operation` it is recorded. */
export interface KeySpec<Admitted extends Caller, Input, Answer> extends Spec<Admitted, Input, Answer> {
  readonly operation?: Operation;
  /** How the path names the key; by its id unless this says otherwise. */
  readonly lookup?: KeyLookup;
  /** Whether destroyed keys are found, too. */
  readonly destroyedToo?: true;
  handle(services: Services, context: Context<Admitted, Input> & { readonly key: Key }): Promise<Answer | Page<Answer>>;
}

/** What the handler of a metered operation works with. */
export type MeteredContext<Input> = Context<ApiKeyCaller, Input> & { readonly key: Key; readonly meter: Meter };

/** What sets the metered operations apart before they run. */
export interface Metered {
  readonly operation: MeteredOperation;
  /** Whether it makes new ciphertext, which under a paid key needs billing in good standing. */
  readonly makesCiphertext: boolean;
  /** The codes that it refuses with besides those of every metered operation. */
  readonly refuses: readonly ErrorCode[];
}

/** A metered operation on a key. Its handler calls `operate`, which checks, counts and records each of its values. */
export interface MeteredSpec<Input, Answer> extends Omit<Spec<ApiKeyCaller, Input, Answer>, 'admits' | 'operation'> {
  readonly cryptography: Metered;
  readonly lookup?: KeyLookup;
  handle(services: Services, context: MeteredContext<Input>): Promise<Partial<Reply>>;
}
