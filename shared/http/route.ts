import type { z } from 'zod';
import type { Admission } from '../auth/admission.ts';
import type { Id } from '../base/ids.ts';
import type { ErrorCode } from '../errors.ts';
import { ACTION_OF, type Action, isOperation, type Recordable } from '../operations.ts';
import type { SessionCaller } from '../tenancy/caller.ts';
import { type Dialect, NATIVE } from './dialect.ts';
import type { Feature } from './feature.ts';
import type { KeyLookup } from './key-lookup.ts';
import type { Request } from './request.ts';
import type { Tag } from './tags.ts';
import type { Target } from './target.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type BinaryFields = Readonly<Record<string, string | undefined>>;

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** A JSON body whose fields are base64. */
  readonly binary?: BinaryFields;
  readonly text?: string;
  /** A JSON body as text. */
  readonly json?: string;
  /** The text of a JSON body that is read while it is sent. */
  readonly pieces?: AsyncGenerator<string>;
  /** The path and query of the next page, for the `Link` header. */
  readonly next?: string | undefined;
}

/** A page of a list. `next` is the path and query of the next page, if there is one. */
export class Page<Answer> {
  readonly body: Answer;
  readonly next: string | undefined;

  constructor(body: Answer, next: string | undefined) {
    this.body = body;
    this.next = next;
  }
}

/** The credential that a route needs. `signature` is the payment provider's. */
export type Credential = Admission<unknown>['credential'] | 'signature' | 'none';

export interface Description {
  readonly id: string;
  /** The operation's name in the audit log, if it is recorded. */
  readonly operation: Recordable | undefined;
  readonly dialect: Dialect;
  readonly feature: Feature | undefined;
  readonly method: Method;
  /** An exact path. `{id}` matches one UUID, `{name}` one name. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: Tag;
  readonly credential: Credential;
  /** The shape of the request's JSON body. Without a shape, a body is ignored. */
  readonly body: z.ZodType | undefined;
  readonly isBodyOptional: boolean;
  /** The shape of the query. Without a shape, a query is ignored. */
  readonly query: z.ZodObject | undefined;
  readonly paged: boolean;
  /** Whether the route returns a list or report. A tenant's requests to such routes wait for each other. */
  readonly isReport: boolean;
  /** The statuses whose body is `answer`: those of a success, and those of problems that `answer` describes. */
  readonly statuses: readonly number[];
  /** The shape of the answer's body. Without a shape, the body is empty. */
  readonly answer: z.ZodType | undefined;
  readonly plainText: boolean;
  /** Every error code that is possible when all features are configured. */
  readonly refuses: readonly ErrorCode[];
}

export const DESCRIPTION_DEFAULTS = {
  operation: undefined,
  dialect: NATIVE,
  feature: undefined,
  body: undefined,
  isBodyOptional: false,
  query: undefined,
  paged: false,
  isReport: false,
  plainText: false,
} as const;

export type DescriptionFields = Pick<Description, 'id' | 'method' | 'path' | 'summary' | 'description' | 'tag'> &
  Partial<Pick<Description, 'operation' | 'dialect' | 'feature' | 'isReport' | 'paged' | 'plainText'>>;

/** What the checks need to know about a route. */
export interface Checked {
  readonly id: string;
  readonly method: Method;
  readonly admits: Admission<unknown>;
  readonly operation?: Recordable | undefined;
  readonly takes: { readonly refuses: readonly ErrorCode[] };
  readonly lookup?: KeyLookup;
  /** Whether the route accepts destroyed keys, not only live ones. */
  readonly destroyedToo?: true;
  readonly target?: Target<Id<string> | null>;
  /** Whether the caller changes their own membership, which every role may do. */
  readonly isOwn?: (caller: SessionCaller, pathId: string) => boolean;
  /** Whether the operation makes new ciphertext. With a paid key, this requires billing in good standing. */
  readonly makesCiphertext?: boolean;
}

/** Returns the action that an API key needs for the route, or `null`. */
export function actionOf({ operation }: Pick<Checked, 'operation'>): Action | null {
  return operation !== undefined && isOperation(operation) ? ACTION_OF[operation] : null;
}

/** Whether the member's role decides about access, as on every route for people that changes something. */
export function isDecidedByRole(credential: Credential, method: Method): boolean {
  return (credential === 'console' || credential === 'either') && method !== 'GET';
}

/** A route that uses `Parts` of the service. */
export interface Route<Parts> {
  readonly description: Description;
  /** The names of the parts that its handler uses. */
  readonly needs: readonly string[];
  readonly respond: (parts: Parts, request: Request) => Promise<Reply>;
}

export interface BoundRoute {
  readonly description: Description;
  readonly respond: (request: Request) => Promise<Reply>;
}

export function bind<Parts>(routes: readonly Route<Parts>[], parts: Parts): BoundRoute[] {
  return routes.map(({ description, respond }) => ({ description, respond: (request) => respond(parts, request) }));
}
