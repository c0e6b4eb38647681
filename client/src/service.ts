import { Connection } from './http/connection.ts';
import {
  createdApiKey,
  createdContainer,
  createdFirewall,
  createdKey,
  removedMember,
  removedObject,
  restoredKey,
} from './http/recovery.ts';
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
  Invitation,
  InvitationPreview,
  Key,
  Me,
  Member,
  NewApiKey,
  NewInvitation,
  Query,
  Readiness,
  Role,
  RotationPreview,
  Seal,
  SignIn,
  Statement,
  UsageLine,
} from './types.ts';

/**
 * A client with one method for each API operation. Fields have the API's names. Bytes are `Uint8Array`, times are
 * `Date`. Methods throw an `EncryptionServiceError`. The last argument can set a signal and a timeout. Methods read
 * their arguments before they return, so you can change or wipe the arguments afterwards.
 */
export class EncryptionService {
  readonly #connection: Connection;

  /** Throws a `TypeError` if an option is invalid, or if the URL would send the credential unencrypted. */
  constructor(options: EncryptionServiceOptions) {
    this.#connection = new Connection(options);
  }

  /** Creates a key. If the response is lost, checks whether the key exists before it retries. */
  createKey(key: Body<'create_key'>, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('create_key', { body: key }, options, createdKey(key));
  }

  /** Lists the keys that the caller can access, oldest first, including keys pending deletion. */
  listKeys(options: CallOptions = {}): Promise<Key[]> {
    return this.#connection.call('list_keys', {}, options);
  }

  /** Returns a key and its versions. */
  getKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('get_key', { id }, options);
  }

  /** Renames a key. Its id stays the same. */
  renameKey(id: string, change: Body<'rename_key'>, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('rename_key', { id, body: change }, options);
  }

  /** Disables a key immediately and destroys it in seven days. Until then, `restoreKey` undoes the deletion. */
  deleteKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('delete_key', { id }, options);
  }

  /** Restores a key that is pending deletion. */
  restoreKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('restore_key', { id }, options, restoredKey(id));
  }

  /**
   * Freezes a key immediately: until `thawKey`, it can be neither used nor rotated. Loses no data. Requires the access
   * token of a person.
   */
  freezeKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('freeze_key', { id }, options);
  }

  /** Makes a frozen key usable again. Requires the access token of a person. */
  thawKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('thaw_key', { id }, options);
  }

  /**
   * Creates a new primary version. On `free` and `wrapped` keys, **all older ciphertext becomes unreadable
   * immediately and permanently**. A `software` key keeps its newest 3 versions, an `hsm` key its newest 2. Call
   * `forget()` of your `DataKeys`: other processes encrypt with cached data keys of the old version for up to `maxAgeMs`.
   * If the response is lost or `unavailable`, the call is not retried.
   */
  rotateKey(id: string, options: CallOptions = {}): Promise<Key> {
    return this.#connection.call('rotate_key', { id }, options);
  }

  /**
   * Returns the versions that a rotation would retire, and how often older versions were needed in the last 30 days.
   */
  previewRotation(id: string, options: CallOptions = {}): Promise<RotationPreview> {
    return this.#connection.call('preview_rotation', { id }, options);
  }

  /** Destroys a key immediately. This cannot be undone. Requires the access token of a person. */
  async destroyKey(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('destroy_key', { id }, options, removedObject);
  }

  /** Returns the caller's identity and rights, and the address that the service sees. */
  getCaller(options: CallOptions = {}): Promise<Answer<'get_caller'>> {
    return this.#connection.call('get_caller', {}, options);
  }

  /** Encrypts 1 to 65,536 bytes. If you pass `aad`, pass the same to `decrypt` and `rewrap`. */
  encrypt(keyId: string, input: Body<'encrypt'>, options: CallOptions = {}): Promise<Answer<'encrypt'>> {
    return this.#connection.call('encrypt', { id: keyId, body: input }, options);
  }

  /** Decrypts a ciphertext from `encrypt` or `rewrap`. Pass the same `aad` as for the encryption. */
  decrypt(keyId: string, input: Body<'decrypt'>, options: CallOptions = {}): Promise<Answer<'decrypt'>> {
    return this.#connection.call('decrypt', { id: keyId, body: input }, options);
  }

  /** Wraps a data key of 16, 24 or 32 bytes. Without `dek`, generates a data key of 32 bytes, and also returns it. */
  wrap(keyId: string, input: Body<'wrap'> = {}, options: CallOptions = {}): Promise<Answer<'wrap'>> {
    return this.#connection.call('wrap', { id: keyId, body: input }, options);
  }

  /** Unwraps a data key. Pass the same `aad` as to `wrap`. */
  unwrap(keyId: string, input: Body<'unwrap'>, options: CallOptions = {}): Promise<Answer<'unwrap'>> {
    return this.#connection.call('unwrap', { id: keyId, body: input }, options);
  }

  /** Re-encrypts a ciphertext or a wrapped data key under the key's primary version. */
  rewrap(keyId: string, input: Body<'rewrap'>, options: CallOptions = {}): Promise<Answer<'rewrap'>> {
    return this.#connection.call('rewrap', { id: keyId, body: input }, options);
  }

  /** Returns how many operations each key performed in a month (`YYYY-MM`). The default is the current month. */
  readUsage(query: Query<'read_usage'> = {}, options: CallOptions = {}): Promise<UsageLine[]> {
    return this.#connection.call('read_usage', { query }, options);
  }

  /** Returns how many operations each key performed on each day of a month. The default is the current month. */
  readUsageDaily(query: Query<'read_usage_daily'> = {}, options: CallOptions = {}): Promise<DailyUsageLine[]> {
    return this.#connection.call('read_usage_daily', { query }, options);
  }

  /** Iterates over all audit events of the tenant, newest first. `limit` is the page size. */
  readAudit(filters: Query<'read_audit'> = {}, options: CallOptions = {}): AsyncGenerator<AuditEvent, void> {
    return eachOf(this.#connection.pages('read_audit', { query: filters }, options));
  }

  /** Iterates over all audit events of a key, newest first. `limit` is the page size. */
  readKeyAudit(
    id: string,
    filters: Query<'read_key_audit'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditEvent, void> {
    return eachOf(this.#connection.pages('read_key_audit', { id, query: filters }, options));
  }

  /** Returns the verifier key of the sealed audit log (C2SP signed-note). Requires the access token of a person. */
  readAuditKey(options: CallOptions = {}): Promise<string> {
    return this.#connection.call('read_audit_key', {}, options);
  }

  /** Returns seals of the tenant's audit log, oldest first, starting at index `from`. `limit` is 100 by default. */
  readAuditSeals(query: Query<'read_audit_seals'> = {}, options: CallOptions = {}): Promise<Seal[]> {
    return this.#connection.call('read_audit_seals', { query }, options);
  }

  /** Returns signed statements about restores, oldest first, starting at index `from`. `limit` is 100 by default. */
  readAuditRestorations(query: Query<'read_audit_restorations'> = {}, options: CallOptions = {}): Promise<string[]> {
    return this.#connection.call('read_audit_restorations', { query }, options);
  }

  /** Returns sealed audit events in log order, starting at entry `from`. A deleted event is `null`. */
  readAuditEntries(query: Query<'read_audit_entries'> = {}, options: CallOptions = {}): Promise<(AuditEvent | null)[]> {
    return this.#connection.call('read_audit_entries', { query }, options);
  }

  /** Returns the signed-in person and their tenant. The first call of a person creates the tenant. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.#connection.call('me', {}, options);
  }

  /** Sets the tenant's name, which members and invited people see. `null` removes the name. */
  renameTenant(name: string | null, options: CallOptions = {}): Promise<Answer<'rename_tenant'>> {
    return this.#connection.call('rename_tenant', { body: { name } }, options);
  }

  /** Lists the members of the tenant, oldest first. */
  listMembers(options: CallOptions = {}): Promise<Member[]> {
    return this.#connection.call('list_members', {}, options);
  }

  /** Changes a member's role from the next request on. If an owner gets a lower role, revokes their invitations. */
  changeRole(userId: string, role: Role, options: CallOptions = {}): Promise<Member> {
    return this.#connection.call('change_role', { id: userId, body: { role } }, options);
  }

  /** Removes a member and revokes their invitations. API keys keep working. To leave the tenant, pass your own id. */
  async removeMember(userId: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('remove_member', { id: userId }, options, removedMember);
  }

  /**
   * Creates an invitation for one person, valid for seven days. Only this response contains the `token`. A lost
   * response is not retried.
   */
  inviteMember(invitation: Body<'invite_member'>, options: CallOptions = {}): Promise<NewInvitation> {
    return this.#connection.call('invite_member', { body: invitation }, options);
  }

  /** Lists the invitations that can still be accepted, oldest first. */
  listInvitations(options: CallOptions = {}): Promise<Invitation[]> {
    return this.#connection.call('list_invitations', {}, options);
  }

  async revokeInvitation(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('revoke_invitation', { id }, options, removedObject);
  }

  /** Returns who invites the holder of a token, to which tenant, and with which role. Changes nothing. */
  previewInvitation(token: string, options: CallOptions = {}): Promise<InvitationPreview> {
    return this.#connection.call('preview_invitation', { body: { token } }, options);
  }

  /**
   * Makes the caller a member of the inviting tenant. The caller leaves their own tenant, which must be empty. If the
   * response is lost, the call is not retried: `me` shows whether it succeeded.
   */
  acceptInvitation(token: string, options: CallOptions = {}): Promise<Me> {
    return this.#connection.call('accept_invitation', { body: { token } }, options);
  }

  /** Creates an API key. Only this response contains its `token`. */
  createApiKey(apiKey: Body<'create_api_key'>, options: CallOptions = {}): Promise<NewApiKey> {
    return this.#connection.call('create_api_key', { body: apiKey }, options, createdApiKey(apiKey));
  }

  /** Lists the API keys that are not revoked, oldest first. */
  listApiKeys(options: CallOptions = {}): Promise<ApiKey[]> {
    return this.#connection.call('list_api_keys', {}, options);
  }

  /** Returns an API key, without its token. */
  getApiKey(id: string, options: CallOptions = {}): Promise<ApiKey> {
    return this.#connection.call('get_api_key', { id }, options);
  }

  /** Changes the given fields of an API key. `null` removes the restriction to keys or to a firewall. */
  updateApiKey(id: string, change: Body<'update_api_key'>, options: CallOptions = {}): Promise<ApiKey> {
    return this.#connection.call('update_api_key', { id, body: change }, options);
  }

  /** Revokes an API key immediately. This cannot be undone. */
  async revokeApiKey(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('revoke_api_key', { id }, options, removedObject);
  }

  /** Creates a container. If the response is lost, checks whether the container exists before it retries. */
  createContainer(container: Body<'create_container'>, options: CallOptions = {}): Promise<Container> {
    return this.#connection.call('create_container', { body: container }, options, createdContainer(container));
  }

  /** Lists the containers of the tenant, oldest first, including the default container. */
  listContainers(options: CallOptions = {}): Promise<Container[]> {
    return this.#connection.call('list_containers', {}, options);
  }

  getContainer(id: string, options: CallOptions = {}): Promise<Container> {
    return this.#connection.call('get_container', { id }, options);
  }

  renameContainer(id: string, change: Body<'rename_container'>, options: CallOptions = {}): Promise<Container> {
    return this.#connection.call('rename_container', { id, body: change }, options);
  }

  /** Deletes a container. Fails with `container_not_empty` if it has keys, live API keys or firewalls. */
  async deleteContainer(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('delete_container', { id }, options, removedObject);
  }

  /** Creates a firewall. If the response is lost, checks whether the firewall exists before it retries. */
  createFirewall(firewall: Body<'create_firewall'>, options: CallOptions = {}): Promise<Firewall> {
    return this.#connection.call('create_firewall', { body: firewall }, options, createdFirewall(firewall));
  }

  /** Lists the firewalls of all containers, oldest first. */
  listFirewalls(options: CallOptions = {}): Promise<Firewall[]> {
    return this.#connection.call('list_firewalls', {}, options);
  }

  getFirewall(id: string, options: CallOptions = {}): Promise<Firewall> {
    return this.#connection.call('get_firewall', { id }, options);
  }

  /** Changes the given fields of a firewall. */
  updateFirewall(id: string, change: Body<'update_firewall'>, options: CallOptions = {}): Promise<Firewall> {
    return this.#connection.call('update_firewall', { id, body: change }, options);
  }

  /** Deletes a firewall. Fails with `firewall_in_use` if a live API key uses it. */
  async deleteFirewall(id: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.call('delete_firewall', { id }, options, removedObject);
  }

  /** Returns the state of billing and the subscription. */
  readBilling(options: CallOptions = {}): Promise<Billing> {
    return this.#connection.call('read_billing', {}, options);
  }

  /** Returns the URL of the checkout page where a person starts a subscription. */
  startCheckout(options: CallOptions = {}): Promise<Answer<'start_checkout'>> {
    return this.#connection.call('start_checkout', {}, options);
  }

  /** Returns the URL of the page where a person changes or cancels the subscription. */
  openPortal(options: CallOptions = {}): Promise<Answer<'open_portal'>> {
    return this.#connection.call('open_portal', {}, options);
  }

  /** Returns the costs of a month, one line for each paid key. The default is the current month. */
  readStatement(query: Query<'read_statement'> = {}, options: CallOptions = {}): Promise<Statement> {
    return this.#connection.call('read_statement', { query }, options);
  }

  /**
   * Returns the settings with which a program signs a person in. Fails with `not_found` if the service has no identity
   * provider.
   */
  signIn(options: CallOptions = {}): Promise<SignIn> {
    return this.#connection.call('sign_in', {}, options);
  }

  /** Checks whether the service is running. */
  live(options: CallOptions = {}): Promise<Answer<'live'>> {
    return this.#connection.call('live', {}, options);
  }

  /** Checks whether the dependencies of the service respond, and returns the state of each. */
  ready(options: CallOptions = {}): Promise<Readiness> {
    return this.#connection.call('ready', {}, options);
  }

  openapi(options: CallOptions = {}): Promise<Answer<'openapi'>> {
    return this.#connection.call('openapi', {}, options);
  }
}

async function* eachOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}
