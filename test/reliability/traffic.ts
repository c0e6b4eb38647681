import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Answer, list, text } from '../support/client.ts';
import { randomBase64 } from '../support/operations.ts';
import { Client, named, signIn, type Tenant, type Tier } from '../support/tenant.ts';
import { resultsOf, textOf } from '../support/transit.ts';
import { type Call, type KnownKey, type Ledger, UnexpectedAnswer } from './ledger.ts';

/** The tenant that a client works for, and the ledger in which the client records its requests. */
interface Setting {
  readonly tenant: Tenant;
  readonly ledger: Ledger;
  readonly send: (call: Call) => Promise<Answer>;
}

/** The part of the answer of `GET /v1/me` that identifies the member. */
const me = z.object({ user: z.object({ id: z.string() }) });

const ITEMS = 3;

function pick<Item>(items: readonly [Item, ...Item[]]): Item {
  return items[randomInt(items.length)] ?? items[0];
}

/** Returns a client that performs all five operations with a `wrapped`, a `software` and an `hsm` key. */
export function operating(setting: Setting): () => Promise<void> {
  const keys = new Map<Tier, KnownKey>();
  return async () => {
    for (const tier of ['wrapped', 'software', 'hsm'] as const) {
      const key = keys.get(tier) ?? (await createKey(setting, tier));
      keys.set(tier, key);
      await useKey(setting, key);
    }
  };
}

/**
 * Returns a client that creates, uses, changes, deletes and restores keys of all tiers, and destroys every second one.
 * It also renames keys that have got a description from a successor, which other versions must not remove.
 */
export function changingKeys(setting: Setting): () => Promise<void> {
  const { ledger, send } = setting;
  const described: KnownKey[] = [];
  let hasFree = false;
  const describe = async (key: KnownKey) => {
    const { id, by } = key;
    const body = { description: randomUUID() };
    const call = `PUT /v1/keys/${id}/description`;
    const { status } = await send({ by, call, body, row: 'describe_key', onlySuccessor: true });
    if (status !== 200) return;
    key.description = body.description;
    described.push(key);
  };
  const change = async (key: KnownKey, isDestroyed: boolean) => {
    const { api: by, console } = setting.tenant;
    const path = `/v1/keys/${key.id}`;
    await useKey(setting, key);
    await describe(key);
    const body = named();
    await send({ by, call: `PATCH ${path}`, body, row: 'rename_key' });
    await send({ by, call: `GET ${path}/rotation` });
    await send({ by, call: `POST ${path}/rotate`, row: 'rotate_key' });
    key.version++;
    const shown = Object((await send({ by: pick([by, console]), call: `GET ${path}` })).body);
    if (shown.name !== body.name || shown.primary_version !== key.version || shown.state !== 'active') {
      ledger.flaws.push('a key differs from its last acknowledged state');
    }
    const listed = list(await send({ by: pick([by, console]), call: 'GET /v1/keys' }));
    if (!listed.some(({ id }) => id === key.id)) ledger.flaws.push('a key is missing from the list');
    await useKey(setting, key);
    await send({ by, call: `DELETE ${path}`, row: 'delete_key' });
    const plaintext = { plaintext: randomBase64(16) };
    const refused = 'key_pending_deletion';
    await send({ by, call: `POST ${path}/encrypt`, body: plaintext, row: 'encrypt', refused });
    await send({ by: console, call: `POST ${path}/restore`, row: 'restore_key' });
    await useKey(setting, key);
    for (const { id } of described.filter(({ isLost }) => !isLost).slice(-3)) {
      await send({ by, call: `PATCH /v1/keys/${id}`, body: named(), row: 'rename_key' });
    }
    if (!isDestroyed) return;
    key.isLost = true;
    await send({ by: console, call: `POST ${path}/destroy`, row: 'destroy_key' });
    await send({ by, call: `GET ${path}`, refused: 'not_found' });
  };
  return async () => {
    const first = hasFree ? 'wrapped' : 'free';
    // If the creation of the free key fails, the key may exist, and a tenant may have only one.
    hasFree = true;
    for (const tier of [first, 'software', 'hsm'] as const) {
      const key = await createKey(setting, tier);
      await change(key, tier !== 'free' && ledger.keys.length % 2 === 0).catch((error: unknown) => {
        key.isLost = true;
        throw error;
      });
    }
  };
}

/** Returns a client that does the work of a tenant's owner in the console. */
export function administering(setting: Setting): () => Promise<void> {
  const { send } = setting;
  return async () => {
    const { console: by } = setting.tenant;
    const firewall = await send({
      by,
      call: 'POST /v1/firewalls',
      body: { ...named(), allowed_ips: ['127.0.0.0/8'] },
      row: 'create_firewall',
    });
    const firewallPath = `/v1/firewalls/${text(firewall, 'id')}`;
    const apiKey = await send({
      by,
      call: 'POST /v1/api-keys',
      body: { ...named(), allowed_actions: ['encrypt'], firewall_id: text(firewall, 'id') },
      row: 'create_api_key',
    });
    const apiKeyPath = `/v1/api-keys/${text(apiKey, 'id')}`;
    const program = new Client(by.stack, text(apiKey, 'token'));
    const useIt = (refused?: string) => send({ by: program, call: 'GET /v1/keys', refused });
    await useIt();
    const elsewhere = { allowed_ips: ['192.0.2.0/24'] };
    await send({ by, call: `PATCH ${firewallPath}`, body: elsewhere, row: 'update_firewall' });
    await useIt('ip_not_allowed');
    await send({ by, call: `PATCH ${apiKeyPath}`, body: { firewall_id: null }, row: 'update_api_key' });
    await useIt();
    for (const path of [firewallPath, apiKeyPath]) await send({ by, call: `GET ${path}` });
    await send({ by, call: `DELETE ${firewallPath}`, row: 'delete_firewall' });
    await send({ by, call: `DELETE ${apiKeyPath}`, row: 'revoke_api_key' });
    await useIt('unauthorized');
    const container = await send({ by, call: 'POST /v1/containers', body: named(), row: 'create_container' });
    const containerPath = `/v1/containers/${text(container, 'id')}`;
    await send({ by, call: `GET ${containerPath}` });
    await send({ by, call: `PATCH ${containerPath}`, body: named(), row: 'rename_container' });
    await send({ by, call: `DELETE ${containerPath}`, row: 'delete_container' });
    await send({ by, call: 'PATCH /v1/tenant', body: named(), row: 'rename_tenant' });
    const invite = () => send({ by, call: 'POST /v1/invitations', body: { role: 'auditor' }, row: 'invite_member' });
    await send({ by, call: `DELETE /v1/invitations/${text(await invite(), 'id')}`, row: 'revoke_invitation' });
    const body = { token: text(await invite(), 'token') };
    const person = await signIn(by.stack, randomUUID());
    await send({ by: person, call: 'POST /v1/invitations/preview', body });
    const joined = await send({ by: person, call: 'POST /v1/invitations/accept', body, row: 'accept_invitation' });
    const memberPath = `/v1/members/${me.parse(joined.body).user.id}`;
    await send({ by: person, call: 'GET /v1/keys' });
    await send({ by, call: `PATCH ${memberPath}`, body: { role: 'admin' }, row: 'change_role' });
    await send({ by, call: `DELETE ${memberPath}`, row: 'remove_member' });
    await send({ by: person, call: 'GET /v1/keys', refused: 'no_tenant' });
  };
}

/** Returns a client that sends the requests of a program for Vault's Transit engine. */
export function usingTransit(setting: Setting): () => Promise<void> {
  const { ledger, send } = setting;
  return async () => {
    const { api: by } = setting.tenant;
    const key = randomUUID();
    const to = (route: string) => `${pick(['POST', 'PUT'])} /v1/transit/${route}/${key}`;
    await send({ by, call: to('keys'), body: {}, row: 'create_key' });
    const meters = ledger.addKey(textOf(await send({ by, call: `GET /v1/transit/keys/${key}` }), 'id'), by);
    const plaintext = randomBase64(24);
    const keep = (ciphertext: string): string => {
      const { version, kept } = meters;
      kept.push({ version, call: to('decrypt'), body: { ciphertext }, plaintext });
      return ciphertext;
    };
    const encrypted = await send({ by, call: to('encrypt'), body: { plaintext }, row: 'encrypt', meters });
    const first = keep(textOf(encrypted, 'ciphertext'));
    await send({ by, call: to('decrypt'), body: { ciphertext: first }, row: 'decrypt', meters });
    for (const kind of ['plaintext', 'wrapped']) {
      await send({ by, call: to(`datakey/${kind}`), body: {}, row: 'wrap', meters });
    }
    const body = { batch_input: Array.from({ length: ITEMS }, () => ({ plaintext })) };
    const batch = await send({ by, call: to('encrypt'), body, row: 'encrypt', meters, items: ITEMS });
    for (const { ciphertext } of resultsOf(batch)) if (ciphertext !== undefined) keep(String(ciphertext));
    await send({ by, call: `${to('keys')}/rotate`, body: {}, row: 'rotate_key' });
    meters.version++;
    const rewrapped = await send({ by, call: to('rewrap'), body: { ciphertext: first }, row: 'rewrap', meters });
    keep(textOf(rewrapped, 'ciphertext'));
    await send({ by, call: 'GET /v1/transit/keys?list=true' });
  };
}

const BY_API_KEY = ['keys', 'usage', 'usage/daily', 'caller', 'transit/keys?list=true', 'auth/token/lookup-self'];
const BY_OWNER = [
  ...['me', 'members', 'invitations', 'api-keys', 'containers', 'firewalls', 'billing', 'billing/statement', 'usage'],
  ...['keys', 'caller', 'audit?limit=20', 'audit/key', 'audit/seals', 'audit/entries', 'audit/restorations'],
];

/** Returns a client that makes one read, which leaves no row. */
export function reading(setting: Setting): () => Promise<void> {
  return async () => {
    const { api, console } = setting.tenant;
    const nobody = new Client(api.stack, undefined);
    const reads = [
      ...BY_API_KEY.map((path) => ({ by: api, call: `GET /v1/${path}` })),
      ...BY_OWNER.map((path) => ({ by: console, call: `GET /v1/${path}` })),
      ...['/health', '/health/ready', '/v1/sign-in', '/v1/openapi.json'].map((path) => ({
        by: nobody,
        call: `GET ${path}`,
      })),
      { by: api, call: 'POST /v1/auth/token/renew-self', body: {} },
      { by: console, call: 'POST /v1/billing/portal' },
      { by: console, call: 'POST /v1/billing/checkout', refused: 'billing_active' },
    ];
    await setting.send(reads[randomInt(reads.length)] ?? { by: nobody, call: 'GET /health' });
  };
}

async function createKey({ tenant: { api: by }, ledger, send }: Setting, tier: Tier): Promise<KnownKey> {
  const made = await send({ by, call: 'POST /v1/keys', body: { ...named(), tier }, row: 'create_key' });
  return ledger.addKey(text(made, 'id'), by);
}

/** Performs all five operations with a key, and keeps the ciphertexts. */
async function useKey({ tenant: { api: by }, send }: Setting, key: KnownKey): Promise<void> {
  const { id, version, kept } = key;
  const to = (operation: string) => ({ by, call: `POST /v1/keys/${id}/${operation}`, row: operation, meters: key });
  const [plaintext, aad] = [randomBase64(32), randomBase64(8)];
  const keep = (ciphertext: string): string => {
    kept.push({ version, call: `POST /v1/keys/${id}/decrypt`, body: { ciphertext, aad }, plaintext });
    return ciphertext;
  };
  const ciphertext = keep(text(await send({ ...to('encrypt'), body: { plaintext, aad } }), 'ciphertext'));
  await send({ ...to('decrypt'), body: { ciphertext, aad } });
  const wrapped = keep(text(await send({ ...to('wrap'), body: { dek: plaintext, aad } }), 'wrapped'));
  await send({ ...to('unwrap'), body: { wrapped, aad } });
  keep(text(await send({ ...to('rewrap'), body: { ciphertext, aad } }), 'ciphertext'));
}

/** Clients that send requests again and again. */
export interface Traffic {
  /** Waits until no request is in progress and does some work. Then the traffic continues. */
  whilePaused(work: () => Promise<void>): Promise<void>;
  /** Stops the traffic. Resolves when all clients have finished their work. */
  stop(): Promise<void>;
}

/** Starts clients that record their requests in the ledger. Each pauses before each request. */
export function startTraffic(
  ledger: Ledger,
  pauseMs: () => number,
  makeClients: (send: Setting['send']) => readonly (() => Promise<void>)[],
): Traffic {
  const inFlight = new Set<Promise<Answer>>();
  let resumed = Promise.resolve();
  let isStopped = false;
  const send = async (call: Call): Promise<Answer> => {
    await pause(pauseMs());
    await resumed;
    const sent = ledger.send(call);
    inFlight.add(sent);
    return sent.finally(() => inFlight.delete(sent));
  };
  const clients = makeClients(send).map(async (once) => {
    while (!isStopped) {
      await once().catch((error: unknown) => {
        if (!(error instanceof UnexpectedAnswer)) throw error;
      });
    }
  });
  return {
    async whilePaused(work) {
      const { promise, resolve } = Promise.withResolvers<void>();
      resumed = promise;
      await Promise.allSettled(inFlight);
      await work();
      resolve();
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}
