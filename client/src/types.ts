import type { operations } from './api/generated.ts';

export type OperationId = keyof operations;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Content<T> = T extends { content: { 'text/plain': infer Text } } ? Text : Json<T>;

export type Body<Id extends OperationId> = operations[Id] extends { requestBody: infer Request }
  ? Json<Request>
  : never;

/** The query parameters of an operation, without `cursor`, which the library sets. */
export type Query<Id extends OperationId> = Omit<NonNullable<operations[Id]['parameters']['query']>, 'cursor'>;

export type Answer<Id extends OperationId> = Content<operations[Id]['responses'][keyof operations[Id]['responses']]>;

export type Key = Answer<'get_key'>;
export type Tier = Key['tier'];
export type ApiKey = Answer<'get_api_key'>;
/** A new API key, with its token, or `null` if it was made without one. The service returns the token only once. */
export type NewApiKey = Answer<'create_api_key'>;
export type Federation = ApiKey['federations'][number];
export type Action = ApiKey['allowed_actions'][number];
export type Container = Answer<'get_container'>;
export type Firewall = Answer<'get_firewall'>;
export type AuditEvent = Answer<'read_audit'>[number];
export type Seal = Answer<'read_audit_seals'>[number];
export type UsageLine = Answer<'read_usage'>[number];
export type DailyUsageLine = Answer<'read_usage_daily'>[number];
export type Me = Answer<'me'>;
export type Member = Answer<'list_members'>[number];
export type Role = Member['role'];
export type Invitation = Answer<'list_invitations'>[number];
/** A new invitation, with its token. The service returns the token only once. */
export type NewInvitation = Answer<'invite_member'>;
/** What a person sees of an invitation before accepting it. */
export type InvitationPreview = Answer<'preview_invitation'>;
export type RotationPreview = Answer<'preview_rotation'>;
export type Billing = Answer<'read_billing'>;
export type Statement = Answer<'read_statement'>;
export type SignIn = Answer<'sign_in'>;
export type Readiness = Answer<'ready'>;

export interface CallOptions {
  /**
   * Aborts the call or the streams: they fail with `aborted`, and the error's `cause` is the signal's reason. The
   * service may still complete the operation.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the call may take, including retries. The default is the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** A request as the library sends it. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
  readonly cache: 'no-store';
  readonly credentials: 'omit';
}

/** What the library reads of a response. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** The part of `fetch` that the library needs. The global `fetch` has it, and so do others, such as undici's. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

export interface ServiceSettings {
  /** URL of the service, such as `https://api.example.com`. It must use https, or http on this machine. */
  readonly url: string | URL;
  /** Allows http to other machines. Use it only if something else protects the connection. */
  readonly allowHttp?: boolean | undefined;
  /** The function that sends requests. The default is the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds that a call may take, including retries. The default is 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed call is retried. The default is 8; 0 turns retries off. */
  readonly maxRetries?: number | undefined;
}

/**
 * The token of an API key, a function that returns it or a workload's ID token, or a function that returns a person's
 * access token from the identity provider. `signIn`, `live` and `ready` need none of them.
 */
export type Credential =
  | { readonly apiKey: string | (() => string | Promise<string>); readonly accessToken?: undefined }
  | { readonly apiKey?: undefined; readonly accessToken: () => string | Promise<string> }
  | { readonly apiKey?: undefined; readonly accessToken?: undefined };

export type EncryptionServiceOptions = ServiceSettings & Credential;
