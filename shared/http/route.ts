import type { z } from 'zod';
import type { Admission } from '../auth/admission.ts';
import type { ErrorCode } from '../errors.ts';
import { ACTION_OF, type Action, isOperation, type Recordable } from '../operations.ts';
import type { Services } from '../services.ts';
import { type Dialect, NATIVE } from './dialect.ts';
import type { Feature } from './feature.ts';
import type { Request } from './request.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A JSON object of base64 by name; a field that is undefined is left out. */
export type BinaryFields = Readonly<Record<string, string | undefined>>;

/** What is answered: a status, and a JSON value, binary fields or plain text unless there is no body. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly binary?: BinaryFields;
  readonly text?: string;
  /** Path and query of the next page, where the answer is a page and more follow. */
  readonly next?: string | undefined;
}

/** An answer that is a page: what is in it, and the path and query of the next one, where there is one. */
export class Page<Answer> {
  readonly body: Answer;
  readonly next: string | undefined;

  constructor(body: Answer, next: string | undefined) {
    this.body = body;
    this.next = next;
  }
}

/** What a route wants to see of its caller: a credential, the signature of the payment provider, or nothing. */
export type Credential = Admission<unknown>['credential'] | 'signature' | 'none';

/** What a route says of itself: the router, the OpenAPI document and the contract tests are made from this. */
export interface Description {
  /** The name of its operation, unique among them. */
  readonly id: string;
  /** What the audit log calls it, where that records it. */
  readonly operation: Recordable | undefined;
  readonly dialect: Dialect;
  /** The feature without which a deployment does not have it. */
  readonly feature: Feature | undefined;
  readonly method: Method;
  /** An exact path; `{id}` stands for one UUID, `{name}` for one name. */
  readonly path: string;
  readonly summary: string;
  /** One to three sentences: what it does, what it needs, what to know. */
  readonly description: string;
  readonly tag: Tag;
  readonly credential: Credential;
  /** The JSON that it takes; without it a body is ignored. */
  readonly body: z.ZodType | undefined;
  /** Whether a request without that JSON is accepted. */
  readonly isBodyOptional: boolean;
  /** The parameters that it reads; without it a query is ignored. */
  readonly query: z.ZodObject | undefined;
  /** Whether `answer` is a page, so that a `Link` may lead to the next one. */
  readonly paged: boolean;
  /** Whether it is a list or report, which is read in its tenant's turn. */
  readonly isReport: boolean;
  /** The statuses that it answers with `answer`: one of success, and others where the answer itself says what is wrong. */
  readonly statuses: readonly number[];
  /** The JSON of those, or the text; without it there is no body. */
  readonly answer: z.ZodType | undefined;
  /** Whether `answer` is a text that is answered as it is. */
  readonly plainText: boolean;
  /** Every code that it can refuse or fail with, in a deployment that has all configured. */
  readonly refuses: readonly ErrorCode[];
}

/** What a description says unless the route says otherwise. */
export const UNSAID = {
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

/** What a route declares of its description. What follows from its kind and its input is filled in. */
export type Declared = Pick<Description, 'id' | 'method' | 'path' | 'summary' | 'description' | 'tag'> &
  Partial<Pick<Description, 'operation' | 'dialect' | 'feature' | 'isReport' | 'paged' | 'plainText'>>;

/** What a route is about: a key, a key that it creates, another thing that its path names, or nothing in particular. */
export type Subject = 'key' | 'new key' | 'resource' | 'nothing';

/** What decides which checks a route's requests pass. */
export interface Checked {
  readonly subject: Subject;
  readonly method: Method;
  readonly admits: { readonly credential: Credential };
  readonly operation?: Recordable | undefined;
  readonly takes: { readonly refuses: readonly ErrorCode[] };
}

/** The action that an API key needs for it; `null` if it needs none. */
export function actionOf({ operation }: Pick<Checked, 'operation'>): Action | null {
  return operation !== undefined && isOperation(operation) ? ACTION_OF[operation] : null;
}

/** Whether the role of a member decides on a route: it does on every route that changes something. */
export function isDecidedByRole(credential: Credential, method: Method): boolean {
  return (credential === 'console' || credential === 'either') && method !== 'GET';
}

/** A route: what it says of itself, and what runs once the router has found it. */
export interface Route {
  readonly description: Description;
  respond(services: Services, request: Request): Promise<Reply>;
}

/** A route with the services of the process. */
export interface BoundRoute {
  readonly description: Description;
  respond(request: Request): Promise<Reply>;
}

/** Binds routes to the services of the process. */
export function bind(routes: readonly Route[], services: Services): BoundRoute[] {
  return routes.map(({ description, respond }) => ({ description, respond: (request) => respond(services, request) }));
}
