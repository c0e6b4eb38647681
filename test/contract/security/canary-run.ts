import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Cases, fillPath, methodOf, pathOf as routeOf } from '../../support/cases.ts';
import { type Addresses, type Answer, type Extras, send, text } from '../../support/client.ts';
import { documentsOf } from '../../support/firestore.ts';
import { unwrapStored } from '../../support/kms.ts';
import { sendBytes, sendRaw } from '../../support/raw.ts';
import { Client, makeTenant, signIn, type Tenant, type Tier } from '../../support/tenant.ts';

const OPERATIONS = ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'] as const;
const pathOf = (key: string, operation: string) => `/v1/keys/${key}/${operation}`;

/** Uses a stack as one tenant, and records every secret that it sends and every refusal. */
export class CanaryRun {
  readonly stack: Addresses;
  readonly tenant: Tenant;
  readonly secrets = new Map<string, Buffer>();
  /** The headers and bodies of all refusals, by a description of the refusal. */
  readonly refusals = new Map<string, Buffer>();
  readonly statuses = new Set<number>();
  readonly requestId = `canary:${randomUUID()}`;
  /** Valid credentials, and credentials that are each refused for a different reason. */
  readonly #clients: Client[] = [];
  /** The ids and versions of the stored data keys that are already among the secrets. */
  readonly #unwrapped = new Set<string>();
  /** The last ciphertext that `operate` made with each key, and its aad. */
  readonly #sealed = new Map<string, { readonly ciphertext: string; readonly aad: string }>();

  private constructor(stack: Addresses, tenant: Tenant) {
    this.stack = stack;
    this.tenant = tenant;
  }

  static async begin(stack: Addresses): Promise<CanaryRun> {
    const run = new CanaryRun(stack, await makeTenant(stack));
    const { tenant } = run;
    const { console, api, mint } = tenant;
    const nowhere = { name: randomUUID(), allowed_ips: ['192.0.2.0/24'] };
    const firewall_id = text(await console.send('POST', '/v1/firewalls', nowhere), 'id');
    const listed = await mint({ key_ids: [await tenant.createKey('wrapped')] });
    const revoked = await mint();
    await console.send('DELETE', `/v1/api-keys/${revoked.id}`);
    const forged = `${api.token?.slice(0, -43)}${randomBytes(32).toString('base64url')}`;
    const unknown = `esk_${'a'.repeat(26)}_${randomBytes(32).toString('base64url')}`;
    run.#clients.push(
      api,
      console,
      listed.client,
      revoked.client,
      (await mint({ firewall_id })).client,
      (await mint({ allowed_actions: [] })).client,
      (await makeTenant(stack, 'none')).api,
      new Client(stack, forged),
      new Client(stack, unknown),
      await signIn(stack, tenant.subject, { expires_in: -60 }),
      await signIn(stack, tenant.subject, { signed_by: 'stranger' }),
      await signIn(stack, randomUUID()),
    );
    for (const { token = '' } of run.#clients) run.#keepToken(token);
    return run;
  }

  async makeKey(tier: Tier, name?: string): Promise<string> {
    const id = await this.tenant.createKey(tier, name);
    await this.addDataKeys();
    return id;
  }

  async addDataKeys(): Promise<void> {
    for (const stored of await storedDataKeys(this.stack)) {
      const name = `${stored.keyId} ${stored.version}`;
      if (this.#unwrapped.has(name)) continue;
      this.#unwrapped.add(name);
      this.#keep('data key', await unwrapStored(this.stack, stored.wrapped, stored.bound));
    }
  }

  async operateWithAll(key: string): Promise<void> {
    await Promise.all(this.#clients.map((client) => this.operate(client, key)));
  }

  async sendInvalidBodies(key: string): Promise<void> {
    const requests = OPERATIONS.flatMap((operation) =>
      invalidBodies(this.#make('plaintext', 48)).map((extras) =>
        this.#ask(this.tenant.api, 'POST', pathOf(key, operation), extras),
      ),
    );
    await Promise.all(requests);
  }

  /** Performs the five operations with new secrets, one after another. */
  async operate(client: Client, key: string): Promise<void> {
    const [plaintext, aad, dek] = [this.#make('plaintext', 48), this.#make('aad', 40), this.#make('dek', 32)];
    const ask = (operation: string, body: unknown) => this.#ask(client, 'POST', pathOf(key, operation), { body });
    const sealed = await ask('encrypt', { plaintext, aad });
    const ciphertext = String(Object(sealed.body).ciphertext ?? this.#make('plaintext', 90));
    await ask('decrypt', { ciphertext, aad });
    await ask('decrypt', { ciphertext, aad: this.#make('aad', 40) });
    await ask('rewrap', { ciphertext, aad });
    const wrapping = await ask('wrap', { dek, aad });
    await ask('unwrap', { wrapped: Object(wrapping.body).wrapped ?? this.#make('dek', 90), aad });
    const made = Object((await ask('wrap', { aad })).body).dek;
    if (typeof made === 'string') this.#keep('made dek', Buffer.from(made, 'base64'));
    this.#sealed.set(key, { ciphertext, aad });
  }

  /**
   * Performs operations at once on several keys that `operate` has used. During a fault, each may last until a
   * deadline.
   */
  async operateOnUsed(keys: readonly string[]): Promise<void> {
    const requests = keys.flatMap((key) => {
      const { ciphertext, aad } = this.#sealed.get(key) ?? {};
      const secret = { plaintext: this.#make('plaintext', 48), dek: this.#make('dek', 32), aad: this.#make('aad', 40) };
      const bodies = { encrypt: secret, wrap: secret, decrypt: { ciphertext, aad }, rewrap: { ciphertext, aad } };
      return Object.entries(bodies).map(([operation, body]) =>
        this.#ask(this.tenant.api, 'POST', pathOf(key, operation), { body }),
      );
    });
    await Promise.all(requests);
  }

  /** Sends tokens in the wrong places: paths, queries, other headers, bodies of other routes, and malformed HTTP. */
  async misplaceTokens(): Promise<void> {
    const { api, console } = this.tenant;
    const token = api.token ?? '';
    for (const client of [api, console, new Client(this.stack, undefined)]) {
      for (const [method, path, extras] of requestsWithMisplaced(token)) await this.#ask(client, method, path, extras);
    }
    const lines = [`authorization: Bearer ${token}`];
    this.record(await sendRaw(this.stack, 'PUT /v1/keys', lines, token));
    this.record(await sendBytes(this.stack, [`GET /v1/keys HTTP/1.1`, ...lines, 'content-length: x', '', token]));
    this.record(await sendBytes(this.stack, [`${token} / HTTP/1.1`, ...lines, '', '']));
    this.record(await sendRaw(this.stack, `CONNECT ${token}:443`, lines));
  }

  async sendRefused({ call, credential, request, refuses = [] }: Cases): Promise<void> {
    const tenant = await makeTenant(this.stack);
    const { api, console } = tenant;
    const caller = { none: new Client(this.stack, undefined), api_key: api, either: api, console, newcomer: console };
    const good = await request(tenant, 'wrapped');
    for (const [, change] of refuses) {
      const changed = typeof change === 'function' ? await change(tenant) : change;
      const { as = caller[credential], id = good.id ?? '', query = '', extras } = changed;
      const body = good.body || changed.body ? { body: { ...Object(good.body), ...changed.body } } : {};
      await this.#ask(as, methodOf(call), `${fillPath(routeOf(call), id)}${query}`, extras ?? body);
    }
  }

  async useConsole(): Promise<void> {
    const { console, subject } = this.tenant;
    const other = await signIn(this.stack, subject);
    this.#keepToken(other.token ?? '');
    const named = (more: object) => ({ body: { name: randomUUID(), ...more } });
    const [minted] = await Promise.all([
      this.#ask(console, 'POST', '/v1/api-keys', named({})),
      this.#ask(console, 'POST', '/v1/keys', named({ tier: 'software' })),
      this.#ask(console, 'POST', '/v1/billing/portal'),
      ...['/v1/me', '/v1/keys', '/v1/billing', '/v1/billing/statement'].map((path) => this.#ask(other, 'GET', path)),
    ]);
    const token = Object(minted.body).token;
    if (typeof token === 'string') this.#keepToken(token);
    await this.#ask(console, 'DELETE', `/v1/api-keys/${Object(minted.body).id}`);
  }

  /** Records the status of an answer, and the whole answer if it is a refusal. */
  record({ status, headers, body }: Answer): void {
    this.statuses.add(status);
    if (status < 400) return;
    this.refusals.set(`refusal ${this.refusals.size}: ${status}`, Buffer.from(JSON.stringify([[...headers], body])));
  }

  async #ask(client: Client, method: string, path: string, extras: Extras = {}): Promise<Answer> {
    const headers = { 'x-request-id': this.requestId, ...extras.headers };
    const url = `${this.stack.baseUrl}${path}`;
    const answer = await send(method, url, { token: client.token, ...extras, headers });
    this.record(answer);
    return answer;
  }

  #make(kind: string, bytes: number): string {
    const secret = randomBytes(bytes);
    this.#keep(kind, secret);
    return secret.toString('base64');
  }

  #keepToken(token: string): void {
    if (token.startsWith('esk_')) {
      this.#keep('api key token', Buffer.from(token));
      this.#keep('api key secret', Buffer.from(token.slice(-43)));
      this.#keep('api key secret', Buffer.from(token.slice(-43), 'base64url'));
    } else {
      this.#keep('console token', Buffer.from(token.split('.')[2] ?? ''));
    }
  }

  #keep(kind: string, secret: Buffer): void {
    this.secrets.set(`${kind} ${this.secrets.size}`, secret);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

function invalidBodies(secret: string): Extras[] {
  return [
    { raw: `{"plaintext":"${secret}`, headers: JSON_TYPE },
    { raw: `{"plaintext":"${secret}"}`, headers: { 'content-type': 'text/plain' } },
    { raw: `{"plaintext":"${secret}"}\u{0}`, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    {
      body: {
        plaintext: [secret],
        ciphertext: { [secret]: 1 },
        wrapped: 7,
        dek: [secret],
        aad: { [secret]: secret },
      },
    },
    { body: [secret] },
    { body: secret },
    {
      body: Object.fromEntries(
        ['plaintext', 'ciphertext', 'wrapped', 'dek', 'aad'].map((name) => [name, `${secret}!`]),
      ),
    },
    { body: { plaintext: secret.repeat(2_000), aad: secret } },
    { body: { plaintext: '', dek: secret, ciphertext: secret, wrapped: secret, aad: secret } },
  ];
}

/** Returns requests with the token in the wrong place: a path, a query, the wrong header or the wrong field. */
function requestsWithMisplaced(token: string): (readonly [method: string, path: string, extras: Extras])[] {
  return [
    ['GET', `/v1/keys?access_token=${token}&access_token=${token}`, {}],
    ['GET', `/v1/usage?period=${token}`, {}],
    ['GET', `/v1/usage/daily?key_id=${token}`, {}],
    ['GET', `/v1/audit?cursor=${token}`, {}],
    ['GET', `/v1/audit?limit=${token}&since=${token}`, {}],
    ['GET', `/v1/keys/${token}`, {}],
    ['GET', `/${token}`, {}],
    ['GET', `/v1/transit/keys/${token}?context=${token}`, {}],
    ['GET', `/v1/transit/keys?list=${token}`, { headers: { 'x-vault-token': `${token}!` } }],
    ['PUT', `/v1/transit/decrypt/${token}`, { body: { ciphertext: token, associated_data: token, nonce: [token] } }],
    ['POST', `/v1/transit/encrypt/${token}`, { body: { batch_input: [{ plaintext: token }, token] } }],
    ['GET', '/v1/keys', { headers: { cookie: token, 'x-request-id': `"${token}"` } }],
    ['POST', '/v1/keys', { body: { name: [token], tier: token, container_id: token } }],
    ['POST', '/v1/api-keys', { body: { name: { [token]: 1 }, allowed_actions: [token] } }],
    ['POST', '/v1/firewalls', { body: { name: '', allowed_ips: [token] } }],
    ['POST', '/v1/webhooks/stripe', { raw: token, headers: { 'stripe-signature': token } }],
  ];
}

interface StoredDataKey {
  readonly keyId: string;
  readonly version: number;
  readonly wrapped: Buffer;
  /** The aad with which the KMS wrapped the data key: tenant id, key id and version. */
  readonly bound: Buffer;
}

/** Returns the schema of a map in Firestore's REST format, whose fields have the schemas in `shape`. */
const map = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object({ mapValue: z.object({ fields: z.object(shape) }) }).transform(({ mapValue }) => mapValue.fields);

const material = map({ wrapped: z.object({ bytesValue: z.base64().optional() }).optional() });
const version = map({ version: z.object({ integerValue: z.coerce.number() }), material });
const key = z.object({
  fields: z.object({
    tenant_id: z.object({ stringValue: z.string() }),
    versions: z.object({ arrayValue: z.object({ values: z.array(version).default([]) }) }),
  }),
});

async function storedDataKeys(stack: Addresses): Promise<StoredDataKey[]> {
  const documents = await documentsOf(stack, 'keys');
  return [...documents].flatMap(([path, content]) => {
    const keyId = path.replace('keys/', '');
    const { tenant_id, versions } = key.parse(JSON.parse(content.toString())).fields;
    return versions.arrayValue.values.flatMap(({ version: { integerValue: number }, material: { wrapped } }) => {
      if (wrapped?.bytesValue === undefined) return [];
      const bound = `${tenant_id.stringValue}${keyId}`.replaceAll('-', '') + number.toString(16).padStart(8, '0');
      const bytes = Buffer.from(wrapped.bytesValue, 'base64');
      return { keyId, version: number, wrapped: bytes, bound: Buffer.from(bound, 'hex') };
    });
  });
}
