import { Connection } from './http/connection.ts';
import { createdApiKey } from './recovery/created-api-key.ts';
import { createdContainer } from './recovery/created-container.ts';
import { createdFirewall } from './recovery/created-firewall.ts';
import { createdKey } from './recovery/created-key.ts';
import { gone } from './recovery/gone.ts';
import { restoredKey } from './recovery/restored-key.ts';
import type {
  Answer,
  ApiKey,
  AuditEvent,
  Billing,
  Body,
  CallOptions,
  Container,
  DailyUsageLine,
  EncryptionServiceOptions,
  Firewall,
  Key,
  Me,
  NewApiKey,
  Query,
  Readiness,
  Seal,
  SignIn,
  Statement,
  UsageLine,
} from './types.ts';

/**
 * The encryption service, with a method for each of its operations. Fields have the names of the API; bytes are
 * `Uint8Array`, times are `Date`. Every method throws an `EncryptionServiceError`, and takes a signal and a deadline as its
 * last argument.
 */
export class EncryptionService {
  readonly #connection: Connection;

  /** Throws a `TypeError` for an address that is none, or one that would send the credential in the clear. */
  constructor(options: EncryptionServiceOptions) {
    this.#connection = new Connection(options);
  }

  /** Creates a key. Where the answer is lost, looks whether it is there before it asks again. */
  createKey(key: Body<'create_key'>, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('create_key', { body: key }, options, createdKey(key));
  }

  /** The live keys that the caller may see, oldest first, those pending deletion too. */
  listKeys(options: CallOptions = {}): Promise<Key[]> {
    return this.#connection.call('list_keys', {}, options);
  }

  getKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('get_key', { id }, options);
  }

  renameKey(id: string, change: Body<'rename_key'>, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('rename_key', { id, body: change }, options);
  }

  /** Requests the deletion of a key, which takes it out of use at once and destroys it in seven days. */
  deleteKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('delete_key', { id }, options);
  }

  /** Undoes a deletion that was requested. */
  restoreKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('restore_key', { id }, options, restoredKey(id));
  }

  /**
   * Makes a new version of a key the primary one. On `free` and `wrapped` keys **all older ciphertext is lost at once**; on
   * `software` the newest 3 versions open, on `hsm` the newest 2. Never asked again where the answer is lost.
   */
  rotateKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('rotate_key', { id }, options);
  }

  /** Destroys a key at once, which cannot be undone. For a signed-in person only. */
  async destroyKey(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('destroy_key', { id }, options, gone);
  }

  /** Encrypts 1 to 65,536 bytes. What is given as `aad` must be given to `decrypt` and `rewrap` too. */
  encrypt(keyId: string, input: Body<'encrypt'>, options: CallOptions = {}): Promise<Answer<'encrypt'>> {
    return this.#connection.call('encrypt', { id: keyId, body: input }, options);
  }

  decrypt(keyId: string, input: Body<'decrypt'>, options: CallOptions = {}): Promise<Answer<'decrypt'>> {
    return this.#connection.call('decrypt', { id: keyId, body: input }, options);
  }

  /** Wraps a data key of 16, 24 or 32 bytes; without one, makes one of 32 bytes and answers it as `dek`. */
  wrap(keyId: string, input: Body<'wrap'> = {}, options: CallOptions = {}): Promise<Answer<'wrap'>> {
    return this.#connection.call('wrap', { id: keyId, body: input }, options);
  }

  unwrap(keyId: string, input: Body<'unwrap'>, options: CallOptions = {}): Promise<Answer<'unwrap'>> {
    return this.#connection.call('unwrap', { id: keyId, body: input }, options);
  }

  /** Encrypts under the key's primary version what was encrypted under any that it still has. */
  rewrap(keyId: string, input: Body<'rewrap'>, options: CallOptions = {}): Promise<Answer<'rewrap'>> {
    return this.#connection.call('rewrap', { id: keyId, body: input }, options);
  }

  /** Operations by key in a month, `YYYY-MM`, the current one by default. */
  readUsage(query: Query<'read_usage'> = {}, options: CallOptions = {}): Promise<UsageLine[]> {
    return this.#connection.call('read_usage', { query }, options);
  }

  /** Operations by day and key in a month. */
  readUsageDaily(query: Query<'read_usage_daily'> = {}, options: CallOptions = {}): Promise<DailyUsageLine[]> {
    return this.#connection.call('read_usage_daily', { query }, options);
  }

  /** The tenant's audit events, newest first, all pages; `limit` is how many a page has. */
  async *readAudit(filters: Query<'read_audit'> = {}, options: CallOptions = {}): AsyncGenerator<AuditEvent, void> {
    for await (const page of this.#connection.pages('read_audit', { query: filters }, options)) yield* page;
  }

  /** A key's audit events, newest first, all pages; `limit` is how many a page has. */
  async *readKeyAudit(
    id: string,
    filters: Query<'read_key_audit'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditEvent, void> {
    for await (const page of this.#connection.pages('read_key_audit', { id, query: filters }, options)) yield* page;
  }

  /** The verifier key of the tenant's sealed audit log, as C2SP signed-note writes it. For a signed-in person only. */
  readAuditKey(options: CallOptions = {}): Promise<string> {
    return this.#connection.call('read_audit_key', {}, options);
  }

  /** The seals of the tenant's audit log from an index on, oldest first, 100 unless `limit` says how many. */
  readAuditSeals(query: Query<'read_audit_seals'> = {}, options: CallOptions = {}): Promise<Seal[]> {
    return this.#connection.call('read_audit_seals', { query }, options);
  }

  /** The sealed events from an entry on, in the order of the log, `null` in the place of one that is gone. */
  readAuditEntries(query: Query<'read_audit_entries'> = {}, options: CallOptions = {}): Promise<(AuditEvent | null)[]> {
    return this.#connection.call('read_audit_entries', { query }, options);
  }

  /** Who is signed in. The first call of a person makes their tenant. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.#connection.call('me', {}, options);
  }

  /** Creates an API key. Its `token` is in this answer alone. */
  createApiKey(apiKey: Body<'create_api_key'>, options: CallOptions = {}): Promise<NewApiKey> {
    return this.#connection.call('create_api_key', { body: apiKey }, options, createdApiKey(apiKey));
  }

  listApiKeys(options: CallOptions = {}): Promise<ApiKey[]> {
    return this.#connection.call('list_api_keys', {}, options);
  }

  getApiKey(id: string, options: CallOptions = {}): Promise<ApiKey> {
    return this.#connection.call('get_api_key', { id }, options);
  }

  /** Changes what is given; `null` lifts a key list or a firewall. */
  updateApiKey(id: string, change: Body<'update_api_key'>, options: CallOptions = {}): Promise<ApiKey> {
    return this.#connection.call('update_api_key', { id, body: change }, options);
  }

  async revokeApiKey(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('revoke_api_key', { id }, options, gone);
  }

  createContainer(container: Body<'create_container'>, options: CallOptions = {}): Promise<Container> {
    return this.#connection.call('create_container', { body: container }, options, createdContainer(container));
  }

  listContainers(options: CallOptions = {}): Promise<Container[]> {
    return this.#connection.call('list_containers', {}, options);
  }

  getContainer(id: string, options: CallOptions = {}): Promise<Container> {
    return this.#connection.call('get_container', { id }, options);
  }

  renameContainer(id: string, change: Body<'rename_container'>, options: CallOptions = {}): Promise<Container> {
    return this.#connection.call('rename_container', { id, body: change }, options);
  }

  async deleteContainer(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('delete_container', { id }, options, gone);
  }

  createFirewall(firewall: Body<'create_firewall'>, options: CallOptions = {}): Promise<Firewall> {
    return this.#connection.call('create_firewall', { body: firewall }, options, createdFirewall(firewall));
  }

  listFirewalls(options: CallOptions = {}): Promise<Firewall[]> {
    return this.#connection.call('list_firewalls', {}, options);
  }

  getFirewall(id: string, options: CallOptions = {}): Promise<Firewall> {
    return this.#connection.call('get_firewall', { id }, options);
  }

  updateFirewall(id: string, change: Body<'update_firewall'>, options: CallOptions = {}): Promise<Firewall> {
    return this.#connection.call('update_firewall', { id, body: change }, options);
  }

  async deleteFirewall(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('delete_firewall', { id }, options, gone);
  }

  readBilling(options: CallOptions = {}): Promise<Billing> {
    return this.#connection.call('read_billing', {}, options);
  }

  /** Where a person subscribes: an address to open. */
  startCheckout(options: CallOptions = {}): Promise<Answer<'start_checkout'>> {
    return this.#connection.call('start_checkout', {}, options);
  }

  /** Where a person changes or ends the subscription: an address to open. */
  openPortal(options: CallOptions = {}): Promise<Answer<'open_portal'>> {
    return this.#connection.call('open_portal', {}, options);
  }

  /** What a month costs, a line for each paid key; the current month by default. */
  readStatement(query: Query<'read_statement'> = {}, options: CallOptions = {}): Promise<Statement> {
    return this.#connection.call('read_statement', { query }, options);
  }

  /** What a program needs to sign a person in; `not_found` where the service has no identity provider. */
  signIn(options: CallOptions = {}): Promise<SignIn> {
    return this.#connection.call('sign_in', {}, options);
  }

  /** Whether the service runs. */
  live(options: CallOptions = {}): Promise<Answer<'live'>> {
    return this.#connection.call('live', {}, options);
  }

  /** Whether the parts behind the service answer, each by its name. */
  ready(options: CallOptions = {}): Promise<Readiness> {
    return this.#connection.call('ready', {}, options);
  }

  /** The service's own OpenAPI document. */
  openapi(options: CallOptions = {}): Promise<Answer<'openapi'>> {
    return this.#connection.call('openapi', {}, options);
  }
}
