import type { operations } from './api/generated.ts';

/** The name of an operation in the OpenAPI document. */
export type OperationId = keyof operations;

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Content<T> = T extends { content: { 'text/plain': infer Text } } ? Text : Json<T>;

/** What an operation takes as its body. */
export type Body<Id extends OperationId> = operations[Id] extends { requestBody: infer Request }
  ? Json<Request>
  : never;

/** What an operation takes as its query; the cursor of pages is the library's own affair. */
export type Query<Id extends OperationId> = Omit<NonNullable<operations[Id]['parameters']['query']>, 'cursor'>;

/** What an operation answers when it succeeds. */
export type Answer<Id extends OperationId> = Content<operations[Id]['responses'][keyof operations[Id]['responses']]>;

export type Key = Answer<'get_key'>;
export type Tier = Key['tier'];
export type ApiKey = Answer<'get_api_key'>;
/** A new API key with its token, which the service never shows again. */
export type NewApiKey = Answer<'create_api_key'>;
export type Action = ApiKey['allowed_actions'][number];
export type Container = Answer<'get_container'>;
export type Firewall = Answer<'get_firewall'>;
export type AuditEvent = Answer<'read_audit'>[number];
/** A seal of the tenant's audit log. */
export type Seal = Answer<'read_audit_seals'>[number];
export type UsageLine = Answer<'read_usage'>[number];
export type DailyUsageLine = Answer<'read_usage_daily'>[number];
export type Me = Answer<'me'>;
export type Billing = Answer<'read_billing'>;
export type Statement = Answer<'read_statement'>;
export type SignIn = Answer<'sign_in'>;
export type Readiness = Answer<'ready'>;

/** What any call may be given beside its arguments. */
export interface CallOptions {
  /** Ends the call with `aborted`. What the service had begun by then, it finishes. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the call with all its attempts; by default those of the service object. */
  readonly timeoutMs?: number | undefined;
}

/** Where the service is, and how it is called. */
export interface ServiceSettings {
  /** The service's address, such as `https://api.example.com`: https, or http on this machine. */
  readonly url: string | URL;
  /** Admits plain http to other machines, where something else keeps the connection secret. */
  readonly allowHttp?: boolean | undefined;
  /** Sends requests in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds for a call with all its attempts, 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is tried again, 5 by default; 0 for never. */
  readonly maxRetries?: number | undefined;
}

/** A tenant's API key, or a person's access token of the identity provider; neither for `signIn`, `live` and `ready`. */
export type Credential =
  | { readonly apiKey: string; readonly accessToken?: undefined }
  | { readonly apiKey?: undefined; readonly accessToken: () => string | Promise<string> }
  | { readonly apiKey?: undefined; readonly accessToken?: undefined };

export type EncryptionServiceOptions = ServiceSettings & Credential;
