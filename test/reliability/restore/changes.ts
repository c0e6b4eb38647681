import { randomUUID } from 'node:crypto';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { setSubscription } from '../../support/billing.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { keyObject, read } from '../../support/objects.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import { DAY_MS, HOUR_MS, readClock, setFaults } from '../../support/steer.ts';
import { accept, inviteTo, type Role } from '../../support/team.ts';
import { ALL_TIERS, Client, makeTenant, signIn, type Tenant, type Tier } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';
import type { KnownKey, Ledger } from '../ledger.ts';

/** How a restore affects a change. */
export interface RestoreEffect {
  /** Whether the restored backup lacks the change. */
  readonly isLost: boolean;
  /** Whether the restore destroyed keys again that were destroyed after the backup. */
  readonly destroys: boolean;
}

/** Checks a change on the restored service. Returns what the check found and what it expected. */
type Check = (after: RestoreEffect) => Promise<readonly [found: unknown, expected: unknown]>;

/**
 * A change, and a promise about it. `before` prepares the change before the backup and returns a function that makes
 * the change. That function returns the check for the restored service.
 */
export interface Change {
  readonly promise: string;
  readonly before: (tenant: Tenant, ledger: Ledger) => Promise<() => Promise<Check>>;
  /** Whether the check comes last, because it rotates a key. */
  readonly isCheckedLast?: true;
}

const RIGHTS_STAY_LOWERED = 'changes that lowered rights stay in effect';
const ADDITIONS_ARE_GONE = 'rights and keys that were added after the backup are gone';
const KEY_STATES_STAY = 'deletions, restorations, freezes, thaws and destructions of keys stay in effect';
const NUMBERS_ARE_UNIQUE = 'no version number is used twice';
const STANDINGS_MATCH = 'billing standings match Stripe';

/** Signs the tenant's owner in again, because the clock moves and old sessions expire. */
const owner = ({ console, subject }: Tenant) => signIn(console.stack, subject);

async function succeed(answer: Promise<Answer>): Promise<Answer> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`a step of the drill was answered ${status}: ${JSON.stringify(body)}`);
  return answer;
}

/** Makes a key, and a ciphertext of its first version. The ledger has both. */
export async function makeKey({ api, createKey }: Tenant, ledger: Ledger, tier: Tier): Promise<KnownKey> {
  const key = ledger.addKey(await createKey(tier), api);
  await keepCiphertext(key);
  return key;
}

/** Encrypts with the key’s primary version, and keeps the ciphertext. */
async function keepCiphertext({ id, by, version, kept }: KnownKey): Promise<void> {
  const plaintext = randomBase64(16);
  const ciphertext = await encrypt(by, id, plaintext);
  kept.push({ version, call: `POST /v1/keys/${id}/decrypt`, body: { ciphertext }, plaintext });
}

/** Rotates a key. Returns the number of its new version. */
async function rotate({ id, by }: KnownKey): Promise<number> {
  return read(keyObject, await by.send('POST', `/v1/keys/${id}/rotate`)).primary_version;
}

/** Rotates the key `times` times, and keeps one ciphertext of each new version. */
async function keepRotating(key: KnownKey, times = 1): Promise<void> {
  for (let done = 0; done < times; done++) {
    key.version = await rotate(key);
    await keepCiphertext(key);
  }
}

/** Creates an API key as the tenant's owner. */
async function mint(tenant: Tenant, more: Record<string, unknown> = {}): Promise<{ id: string; client: Client }> {
  const body = { name: 'drill', allowed_actions: ['encrypt', 'decrypt'], ...more };
  const answer = await succeed((await owner(tenant)).send('POST', '/v1/api-keys', body));
  return { id: text(answer, 'id'), client: new Client(tenant.api.stack, text(answer, 'token')) };
}

async function changeAsOwner(tenant: Tenant, method: string, path: string, body?: unknown): Promise<Answer> {
  return succeed((await owner(tenant)).send(method, path, body));
}

/** Encrypts with a key and returns the outcome. */
async function encryptOutcome(client: Client, keyId: string): Promise<string> {
  return outcome(await operate(client, keyId, 'encrypt', { plaintext: randomBase64(8) }));
}

/** Makes a new person a member of the tenant. Returns the person's id and a function that signs the person in. */
async function join(tenant: Tenant, role: Role) {
  const [{ stack }, subject] = [tenant.console, randomUUID()];
  const { token } = await inviteTo({ console: await owner(tenant) }, role);
  const { id } = await accept(await signIn(stack, subject), token);
  return { id, session: () => signIn(stack, subject) };
}

/** Accepts an invitation as a new person and returns the outcome. */
async function acceptOutcome({ console: { stack } }: Tenant, token: string): Promise<string> {
  return outcome(await (await signIn(stack, randomUUID())).send('POST', '/v1/invitations/accept', { token }));
}

/** Creates an API key in a session and returns the outcome. The service refuses this to auditors. */
async function mintOutcome(session: Client): Promise<string> {
  return outcome(await session.send('POST', '/v1/api-keys', { name: 'drill', allowed_actions: ['encrypt'] }));
}

/** Uses an API key as a workload and returns the outcome. */
async function workloadOutcome({ api: { stack } }: Tenant, apiKeyId: string, sub: string): Promise<string> {
  const client = new Client(stack, await workloadToken(stack, apiKeyId, { sub }));
  return outcome(await client.send('GET', '/v1/keys'));
}

/** Returns federations for workloads of the stack's own issuer. */
const federationsFor = ({ api: { stack } }: Tenant, ...subjects: readonly string[]) =>
  subjects.map((sub) => ({ issuer: workloadIssuerOf(portsOf(stack)), claims: { sub } }));

/** Returns a time after the stack's clock, which is behind until the store is lost. */
async function timeAfter({ api: { stack } }: Tenant, ms: number): Promise<string> {
  return new Date(Date.parse(await readClock(stack)) + ms).toISOString().replace('Z', '000Z');
}

async function stateOf({ api }: Tenant, keyId: string): Promise<string> {
  const { status, body } = await api.send('GET', `/v1/keys/${keyId}`);
  return status === 404 ? 'gone' : String(Object(body).state);
}

/** Returns changes with the same promise. */
function every(promise: string, befores: readonly Change['before'][]): Change[] {
  return befores.map((before) => ({ promise, before }));
}

export const CHANGES: readonly Change[] = [
  ...every(RIGHTS_STAY_LOWERED, [
    async (tenant) => {
      const { id, client } = await mint(tenant);
      return async () => {
        await changeAsOwner(tenant, 'DELETE', `/v1/api-keys/${id}`);
        return async () => [outcome(await client.send('GET', '/v1/keys')), '401 unauthorized'];
      };
    },
    async (tenant) => {
      const [key, { id, client }] = [await tenant.createKey('wrapped'), await mint(tenant)];
      return async () => {
        await changeAsOwner(tenant, 'PATCH', `/v1/api-keys/${id}`, { allowed_actions: ['decrypt'] });
        return async () => [await encryptOutcome(client, key), '403 action_not_allowed'];
      };
    },
    async (tenant) => {
      const [key, { id, client }] = [await tenant.createKey('wrapped'), await mint(tenant)];
      return async () => {
        const firewall = { name: randomUUID(), allowed_ips: ['192.0.2.0/24'] };
        const firewall_id = text(await changeAsOwner(tenant, 'POST', '/v1/firewalls', firewall), 'id');
        await changeAsOwner(tenant, 'PATCH', `/v1/api-keys/${id}`, { firewall_id });
        // If the firewall is lost, the restore removes all actions from the API key.
        return async ({ isLost }) => [
          await encryptOutcome(client, key),
          isLost ? '403 action_not_allowed' : '403 ip_not_allowed',
        ];
      };
    },
    async (tenant) => {
      const { id, client } = await mint(tenant, { expires_at: await timeAfter(tenant, 365 * DAY_MS) });
      return async () => {
        const expires_at = await timeAfter(tenant, HOUR_MS);
        await changeAsOwner(tenant, 'PATCH', `/v1/api-keys/${id}`, { expires_at });
        return async () => {
          const { body } = await changeAsOwner(tenant, 'GET', `/v1/api-keys/${id}`);
          const found = [outcome(await client.send('GET', '/v1/keys')), Object(body).expires_at];
          return [found, ['401 unauthorized', expires_at]];
        };
      };
    },
    async (tenant) => {
      const { id } = await mint(tenant, { federations: federationsFor(tenant, 'kept', 'removed') });
      return async () => {
        await changeAsOwner(tenant, 'PATCH', `/v1/api-keys/${id}`, { federations: federationsFor(tenant, 'kept') });
        return async () => {
          const found = [await workloadOutcome(tenant, id, 'kept'), await workloadOutcome(tenant, id, 'removed')];
          return [found, ['200', '401 unauthorized']];
        };
      };
    },
    async (tenant) => {
      const firewall = { name: randomUUID(), allowed_ips: ['127.0.0.0/8'] };
      const id = text(await changeAsOwner(tenant, 'POST', '/v1/firewalls', firewall), 'id');
      const { client } = await mint(tenant, { firewall_id: id });
      return async () => {
        await changeAsOwner(tenant, 'PATCH', `/v1/firewalls/${id}`, { allowed_ips: ['192.0.2.0/24'] });
        return async () => [outcome(await client.send('GET', '/v1/keys')), '403 ip_not_allowed'];
      };
    },
    async (tenant) => {
      const { id, session } = await join(tenant, 'admin');
      return async () => {
        await changeAsOwner(tenant, 'DELETE', `/v1/members/${id}`);
        return async () => [outcome(await (await session()).send('GET', '/v1/keys')), '403 no_tenant'];
      };
    },
    async (tenant) => {
      const { id, session } = await join(tenant, 'admin');
      return async () => {
        await changeAsOwner(tenant, 'PATCH', `/v1/members/${id}`, { role: 'auditor' });
        return async () => [await mintOutcome(await session()), '403 role_not_allowed'];
      };
    },
    async (tenant) => {
      const { token } = await inviteTo({ console: await owner(tenant) }, 'admin');
      return async () => {
        await accept(await signIn(tenant.console.stack, randomUUID()), token);
        return async () => [await acceptOutcome(tenant, token), '404 not_found'];
      };
    },
    async (tenant) => {
      const { id, token } = await inviteTo({ console: await owner(tenant) }, 'admin');
      return async () => {
        await changeAsOwner(tenant, 'DELETE', `/v1/invitations/${id}`);
        return async () => [await acceptOutcome(tenant, token), '404 not_found'];
      };
    },
  ]),
  ...every(ADDITIONS_ARE_GONE, [
    async (tenant) => async () => {
      const { client } = await mint(tenant);
      return async ({ isLost }) => [outcome(await client.send('GET', '/v1/keys')), isLost ? '401 unauthorized' : '200'];
    },
    async (tenant) => {
      const { id } = await mint(tenant);
      return async () => {
        await changeAsOwner(tenant, 'PATCH', `/v1/api-keys/${id}`, { federations: federationsFor(tenant, 'added') });
        return async ({ isLost }) => [await workloadOutcome(tenant, id, 'added'), isLost ? '401 unauthorized' : '200'];
      };
    },
    async (tenant) => async () => {
      const { token } = await inviteTo({ console: await owner(tenant) }, 'admin');
      return async ({ isLost }) => [await acceptOutcome(tenant, token), isLost ? '404 not_found' : '200'];
    },
    async (tenant) => async () => {
      const { session } = await join(tenant, 'admin');
      return async ({ isLost }) => [
        outcome(await (await session()).send('GET', '/v1/keys')),
        isLost ? '403 no_tenant' : '200',
      ];
    },
    async (tenant) => {
      const { id, session } = await join(tenant, 'auditor');
      return async () => {
        await changeAsOwner(tenant, 'PATCH', `/v1/members/${id}`, { role: 'admin' });
        return async ({ isLost }) => [await mintOutcome(await session()), isLost ? '403 role_not_allowed' : '201'];
      };
    },
    ...(['wrapped', 'software', 'hsm'] as const).map((tier) => async (tenant: Tenant, ledger: Ledger) => async () => {
      const key = await makeKey(tenant, ledger, tier);
      await keepRotating(key);
      const check: Check = async ({ isLost }) => [await stateOf(tenant, key.id), isLost ? 'gone' : 'active'];
      return check;
    }),
  ]),
  ...every(KEY_STATES_STAY, [
    async (tenant, ledger) => {
      const { id: key } = await makeKey(tenant, ledger, 'software');
      return async () => {
        const { body } = await succeed(tenant.api.send('DELETE', `/v1/keys/${key}`));
        const dates = ({ state, delete_requested_at, destroy_after }: Record<string, unknown>) => ({
          state,
          delete_requested_at,
          destroy_after,
        });
        return async () => [dates(Object((await tenant.api.send('GET', `/v1/keys/${key}`)).body)), dates(Object(body))];
      };
    },
    async (tenant, ledger) => {
      const { id: key } = await makeKey(tenant, ledger, 'wrapped');
      await succeed(tenant.api.send('DELETE', `/v1/keys/${key}`));
      return async () => {
        await succeed(tenant.api.send('POST', `/v1/keys/${key}/restore`));
        return async () => [await stateOf(tenant, key), 'active'];
      };
    },
    async (tenant, ledger) => {
      const { id: key } = await makeKey(tenant, ledger, 'software');
      return async () => {
        await changeAsOwner(tenant, 'POST', `/v1/keys/${key}/freeze`);
        // Thaw the key after the check, because the drill then decrypts with it.
        return async () => {
          const refused = await encryptOutcome(tenant.api, key);
          await changeAsOwner(tenant, 'POST', `/v1/keys/${key}/thaw`);
          return [refused, '409 key_frozen'];
        };
      };
    },
    async (tenant, ledger) => {
      const { id: key } = await makeKey(tenant, ledger, 'wrapped');
      await changeAsOwner(tenant, 'POST', `/v1/keys/${key}/freeze`);
      return async () => {
        await changeAsOwner(tenant, 'POST', `/v1/keys/${key}/thaw`);
        return async () => [await encryptOutcome(tenant.api, key), '200'];
      };
    },
    ...(['wrapped', 'software'] as const).map((tier) => async (tenant: Tenant, ledger: Ledger) => {
      const { id: key } = await makeKey(tenant, ledger, tier);
      return async () => {
        await changeAsOwner(tenant, 'POST', `/v1/keys/${key}/destroy`);
        const check: Check = async ({ isLost, destroys }) => [
          await stateOf(tenant, key),
          isLost && !destroys ? 'pending_deletion' : 'gone',
        ];
        return check;
      };
    }),
  ]),
  ...every(STANDINGS_MATCH, [
    async (tenant) => async () => {
      await setSubscription(tenant.console.stack, tenant.id, 'past_due');
      return async () => [
        Object(Object((await (await owner(tenant)).send('GET', '/v1/billing')).body).subscription).status,
        'past_due',
      ];
    },
    async ({ console: { stack } }) => {
      const newcomer = await makeTenant(stack, 'none');
      return async () => {
        await setSubscription(stack, newcomer.id, 'active');
        return async () => {
          const body = { name: randomUUID(), tier: 'wrapped' };
          return [outcome(await newcomer.api.send('POST', '/v1/keys', body)), '201'];
        };
      };
    },
  ]),
  // Rotations that the backup lacks.
  ...([...ALL_TIERS, 'interrupted'] as const).map(
    (tier): Change => ({
      promise: NUMBERS_ARE_UNIQUE,
      isCheckedLast: true,
      async before(tenant, ledger) {
        const key = await makeKey(tenant, ledger, tier === 'interrupted' ? 'hsm' : tier);
        await (tier === 'interrupted' ? interruptRotation(key) : keepRotating(key));
        return async () => {
          await keepRotating(key, 3);
          return async () => [(await rotate(key)) > key.version, true];
        };
      },
    }),
  ),
];

/** Interrupts a rotation, so that the KMS has a new version that no document in the store names. */
async function interruptRotation({ id, by }: KnownKey): Promise<void> {
  await setFaults(by.stack, { audit_rows: 'down' });
  const answer = await by.send('POST', `/v1/keys/${id}/rotate`);
  if (outcome(answer) !== '500 internal_error') throw new Error(`the rotation was answered ${outcome(answer)}`);
  await setFaults(by.stack, { audit_rows: null });
}
