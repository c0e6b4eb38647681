import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, text } from '../support/client.ts';
import { randomBase64 } from '../support/operations.ts';
import { Client, signIn, type Tenant, type Tier } from '../support/tenant.ts';
import { textOf } from '../support/transit.ts';
import type { Call, KnownKey, Ledger } from './ledger.ts';

/** The tenant that a client works for, and the ledger in which the client records its requests. */
interface Setting {
  readonly tenant: Tenant;
  readonly ledger: Ledger;
  readonly send: (call: Call) => Promise<Answer>;
}

const name = () => ({ name: randomUUID() });

/** The part of the answer of `GET /v1/me` that identifies the member. */
const me = z.object({ user: z.object({ id: z.string() }) });

/** Returns a client that performs all five operations with a `wrapped`, a `software` and an `hsm` key. */
export function operating({ tenant, ledger, send }: Setting): () => Promise<void> {
  const keys = new Map<Tier, KnownKey>();
  const use = using({ tenant, ledger, send });
  return async () => {
    for (const tier of ['wrapped', 'software', 'hsm'] as const) {
      const key = keys.get(tier) ?? (await use.create(tier));
      keys.set(tier, key);
      await use.everything(key);
    }
  };
}

/**
 * Returns a client that creates, uses, changes, deletes and restores keys of all tiers. It also renames keys that have
 * got a description from a successor, which other versions must not remove.
 */
export function changingKeys({ tenant, ledger, send }: Setting): () => Promise<void> {
  const { api: by, console } = tenant;
  const use = using({ tenant, ledger, send });
  const described: KnownKey[] = [];
  let hasFree = false;
  const describe = async (key: KnownKey) => {
    const call = `PUT /v1/keys/${key.id}/description`;
    const body = { description: randomUUID() };
    const { status } = await send({ by, call, body, row: 'describe_key', onlySuccessor: true });
    if (status !== 200) return;
    key.description = body.description;
    described.push(key);
  };
  return async () => {
    for (const tier of [hasFree ? ('wrapped' as const) : ('free' as const), 'software', 'hsm'] as const) {
      const key = await use.create(tier);
      hasFree = true;
      const path = `/v1/keys/${key.id}`;
      await use.everything(key);
      await describe(key);
      await send({ by, call: `PATCH ${path}`, body: name(), row: 'rename_key' });
      await send({ by, call: `GET ${path}/rotation` });
      await send({ by, call: `POST ${path}/rotate`, row: 'rotate_key' });
      key.version++;
      await use.everything(key);
      await send({ by, call: `DELETE ${path}`, row: 'delete_key' });
      const body = { plaintext: randomBase64(16) };
      await send({ by, call: `POST ${path}/encrypt`, body, row: 'encrypt', refused: 'key_pending_deletion' });
      await send({ by: console, call: `POST ${path}/restore`, row: 'restore_key' });
      await use.everything(key);
      for (const { id } of described.slice(-3)) {
        await send({ by, call: `PATCH /v1/keys/${id}`, body: name(), row: 'rename_key' });
      }
    }
    for (const path of ['/keys', '/usage', '/usage/daily', '/caller', '/audit?limit=100']) {
      await send({ by: path.startsWith('/audit') ? console : by, call: `GET /v1${path}` });
    }
  };
}

/** Returns a client that does the work of a tenant's owner in the console. */
export function administering({ tenant, send }: Setting): () => Promise<void> {
  const { console: by } = tenant;
  return async () => {
    const firewall = await send({
      by,
      call: 'POST /v1/firewalls',
      body: { ...name(), allowed_ips: ['127.0.0.0/8'] },
      row: 'create_firewall',
    });
    const firewallPath = `/v1/firewalls/${text(firewall, 'id')}`;
    const apiKey = await send({
      by,
      call: 'POST /v1/api-keys',
      body: { ...name(), allowed_actions: ['encrypt'], firewall_id: text(firewall, 'id') },
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
    await send({ by, call: `DELETE ${firewallPath}`, row: 'delete_firewall' });
    await send({ by, call: `DELETE ${apiKeyPath}`, row: 'revoke_api_key' });
    await useIt('unauthorized');

    const container = await send({ by, call: 'POST /v1/containers', body: name(), row: 'create_container' });
    const containerPath = `/v1/containers/${text(container, 'id')}`;
    await send({ by, call: `PATCH ${containerPath}`, body: name(), row: 'rename_container' });
    await send({ by, call: `DELETE ${containerPath}`, row: 'delete_container' });
    await send({ by, call: 'PATCH /v1/tenant', body: name(), row: 'rename_tenant' });

    const invitation = await send({
      by,
      call: 'POST /v1/invitations',
      body: { role: 'auditor' },
      row: 'invite_member',
    });
    const person = await signIn(by.stack, randomUUID());
    const body = { token: text(invitation, 'token') };
    const joined = await send({ by: person, call: 'POST /v1/invitations/accept', body, row: 'accept_invitation' });
    const memberPath = `/v1/members/${me.parse(joined.body).user.id}`;
    await send({ by: person, call: 'GET /v1/keys' });
    await send({ by, call: `PATCH ${memberPath}`, body: { role: 'admin' }, row: 'change_role' });
    await send({ by, call: `DELETE ${memberPath}`, row: 'remove_member' });
    await send({ by: person, call: 'GET /v1/keys', refused: 'no_tenant' });
    for (const path of ['me', 'members', 'invitations', 'api-keys', 'containers', 'firewalls', 'billing', 'audit']) {
      await send({ by, call: `GET /v1/${path}` });
    }
  };
}

/** Returns a client that sends the requests of a program for Vault's Transit engine. */
export function usingTransit({ tenant, ledger, send }: Setting): () => Promise<void> {
  const { api: by } = tenant;
  return async () => {
    const key = randomUUID();
    const to = (route: string) => `POST /v1/transit/${route}/${key}`;
    await send({ by, call: to('keys'), body: {}, row: 'create_key' });
    const meters = ledger.addKey(textOf(await send({ by, call: `GET /v1/transit/keys/${key}` }), 'id'), by);
    const plaintext = randomBase64(24);
    const keep = (answer: Answer): string => {
      const ciphertext = textOf(answer, 'ciphertext');
      const { version, kept } = meters;
      kept.push({ version, call: to('decrypt'), body: { ciphertext }, plaintext });
      return ciphertext;
    };
    const first = keep(await send({ by, call: to('encrypt'), body: { plaintext }, row: 'encrypt', meters }));
    await send({ by, call: to('decrypt'), body: { ciphertext: first }, row: 'decrypt', meters });
    await send({ by, call: to('datakey/plaintext'), body: {}, row: 'wrap', meters });
    await send({ by, call: `${to('keys')}/rotate`, body: {}, row: 'rotate_key' });
    meters.version++;
    keep(await send({ by, call: to('rewrap'), body: { ciphertext: first }, row: 'rewrap', meters }));
    await send({ by, call: 'GET /v1/transit/keys?list=true' });
  };
}

/** Returns functions that create a key and use it for all five operations. */
function using({ tenant: { api: by }, ledger, send }: Setting) {
  return {
    async create(tier: Tier): Promise<KnownKey> {
      const made = await send({ by, call: 'POST /v1/keys', body: { ...name(), tier }, row: 'create_key' });
      return ledger.addKey(text(made, 'id'), by);
    },
    async everything(key: KnownKey): Promise<void> {
      const { id, version, kept } = key;
      const to = (operation: string) => ({ by, call: `POST /v1/keys/${id}/${operation}`, row: operation, meters: key });
      const [plaintext, aad] = [randomBase64(32), randomBase64(8)];
      const keep = (ciphertext: string): string => {
        const call = `POST /v1/keys/${id}/decrypt`;
        kept.push({ version, call, body: { ciphertext, aad }, plaintext });
        return ciphertext;
      };
      const ciphertext = keep(text(await send({ ...to('encrypt'), body: { plaintext, aad } }), 'ciphertext'));
      await send({ ...to('decrypt'), body: { ciphertext, aad } });
      const wrapped = keep(text(await send({ ...to('wrap'), body: { dek: plaintext, aad } }), 'wrapped'));
      await send({ ...to('unwrap'), body: { wrapped, aad } });
      keep(text(await send({ ...to('rewrap'), body: { ciphertext, aad } }), 'ciphertext'));
    },
  };
}
