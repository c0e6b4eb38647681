import { randomUUID } from 'node:crypto';
import { type Addresses, type Answer, control, type Extras, send, text } from './client.ts';
import { noteTenant } from './forget-rows.ts';

/** All actions that an API key can be allowed. */
export const ALL_ACTIONS = [
  'encrypt',
  'decrypt',
  'wrap',
  'unwrap',
  'rewrap',
  'rotate',
  'create',
  'rename',
  'delete',
  'restore',
] as const;

export type Tier = 'free' | 'wrapped' | 'software' | 'hsm';
export const ALL_TIERS = ['free', 'wrapped', 'software', 'hsm'] as const;

/** A client that sends requests to a stack with one credential. */
export class Client {
  readonly stack: Addresses;
  readonly token: string | undefined;

  constructor(stack: Addresses, token: string | undefined) {
    this.stack = stack;
    this.token = token;
  }

  /** Sends a request with the credential. `body` is sent as JSON. */
  send(method: string, path: string, body?: unknown, extras: Extras = {}): Promise<Answer> {
    return send(method, `${this.stack.baseUrl}${path}`, { token: this.token, body, ...extras });
  }
}

/** The options for an API key. */
export interface ApiKeyOptions {
  readonly name?: string;
  readonly allowed_actions?: readonly string[];
  readonly key_ids?: readonly string[];
  readonly firewall_id?: string;
  readonly container_id?: string;
  readonly expires_at?: string;
  readonly federations?: readonly object[];
}

/** A tenant for one test, in good billing standing by default. */
export interface Tenant {
  readonly id: string;
  readonly subject: string;
  /** A console session of its owner. */
  readonly console: Client;
  /** An API key of the default container with all actions. */
  readonly api: Client;
  readonly apiKeyId: string;
  /** Creates another API key, by default with all actions. */
  mint(options?: ApiKeyOptions): Promise<{ id: string; client: Client }>;
  /** Makes a key with the first API key and returns its id. */
  createKey(tier: Tier, name?: string): Promise<string>;
}

/** Returns the field `name` of a request, with a name that no object has. */
export function named(): { name: string } {
  return { name: randomUUID() };
}

/** Makes another container in the tenant. Returns its id. */
export async function makeContainer({ console }: Pick<Tenant, 'console'>): Promise<string> {
  return text(await console.send('POST', '/v1/containers', named()), 'id');
}

/** Makes a firewall that allows no address of a test, by default in the default container. Returns its id. */
export async function makeFirewall({ console }: Pick<Tenant, 'console'>, options: object = {}): Promise<string> {
  const body = { ...named(), allowed_ips: ['192.0.2.0/24'], ...options };
  return text(await console.send('POST', '/v1/firewalls', body), 'id');
}

/** Returns a console session of the given subject. */
export async function signIn(stack: Addresses, subject: string, claims: Record<string, unknown> = {}): Promise<Client> {
  const answer = await control(stack, 'POST', '/tokens', { sub: subject, ...claims });
  return new Client(stack, text(answer, 'access_token'));
}

/** Makes a tenant as a person does: by a sign-in at the console. */
export async function makeTenant(stack: Addresses, standing: string = 'active'): Promise<Tenant> {
  const subject = randomUUID();
  const console = await signIn(stack, subject);
  const me = await console.send('GET', '/v1/me');
  const { id } = Object(Object(me.body).tenant);
  noteTenant(stack, id);
  if (standing !== 'none') {
    await control(stack, 'POST', '/stripe/subscription', { tenant_id: id, status: standing });
  }
  const mint = async (options: ApiKeyOptions = {}) => {
    const body = { name: 'test', allowed_actions: ALL_ACTIONS, ...options };
    const answer = await console.send('POST', '/v1/api-keys', body);
    return { id: text(answer, 'id'), client: new Client(stack, text(answer, 'token')) };
  };
  const { id: apiKeyId, client: api } = await mint();
  const createKey = async (tier: Tier, name: string = randomUUID()) =>
    text(await api.send('POST', '/v1/keys', { name, tier }), 'id');
  return { id, subject, console, api, apiKeyId, mint, createKey };
}
