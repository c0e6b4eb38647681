import { randomUUID } from 'node:crypto';
import type { EncryptionService } from '../../../client/src/service.ts';
import type { Action, Key, Tier } from '../../../client/src/types.ts';
import { STRIPE_SECRETS } from '../../../emulators/stack/service-environment.ts';
import { setSubscription, stripeOf } from '../../support/billing.ts';
import { type Addresses, control, text } from '../../support/client.ts';
import { ALL_ACTIONS, ALL_TIERS } from '../../support/tenant.ts';
import { Ledger } from './ledger.ts';
import type { Caller, Kind, Reply, Sender } from './sender.ts';

/** A ciphertext that the service must decrypt while its key version is enabled. */
export interface SealedValue {
  readonly ciphertext: Uint8Array;
  readonly plaintext: Uint8Array;
  readonly aad: Uint8Array | null;
  readonly version: number;
}

/** How many ciphertexts to keep for each key. */
const VALUES_KEPT = 8;

/** A key as the service's answers describe it. */
export class SoakKey {
  readonly id: string;
  readonly tier: Tier;
  name: string;
  version: number;
  values: SealedValue[] = [];
  /** True after a failed change, because the state of the key is then unknown. */
  isLost = false;
  #users = 0;
  #isChanging = false;

  constructor({ id, tier, name, primary_version }: Key) {
    this.id = id;
    this.tier = tier;
    this.name = name;
    this.version = primary_version;
  }

  /** Runs work that does not change the key. Returns false without running it if someone is changing the key. */
  async use(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isLost || this.#isChanging) return false;
    this.#users += 1;
    try {
      await work();
      return true;
    } finally {
      this.#users -= 1;
    }
  }

  /** Runs work that changes the key, if nobody else is using the key. Returns whether it ran. */
  async change(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isLost || this.#isChanging || this.#users > 0) return false;
    this.#isChanging = true;
    try {
      await work();
      return true;
    } finally {
      this.#isChanging = false;
    }
  }

  keep(value: SealedValue): void {
    this.values = [...this.values.slice(1 - VALUES_KEPT), value];
  }

  /** Stores the answer, and drops the values of versions that are no longer enabled. */
  learn({ name, primary_version, versions }: Key): void {
    this.name = name;
    this.version = primary_version;
    const enabled = new Set(versions.filter(({ state }) => state === 'enabled').map(({ version }) => version));
    this.values = this.values.filter(({ version }) => enabled.has(version));
  }
}

/** A tenant, and the ledger of its acknowledged requests. */
export interface SoakTenant {
  readonly id: string;
  readonly owner: Caller;
  readonly apiKey: { readonly apiKey: string };
  readonly keys: SoakKey[];
  readonly ledger: Ledger;
  readonly subscription: SubscriptionEvent;
}

interface SubscriptionEvent {
  readonly payload: string;
  /** Returns the signature of a delivery at a time, in milliseconds since the epoch. */
  sign(at: number): string;
}

async function subscriptionOf(stack: Addresses, tenantId: string): Promise<SubscriptionEvent> {
  const { events, webhooks } = stripeOf(stack);
  const created = await events.list({ type: 'customer.subscription.created', limit: 100 });
  const payload = JSON.stringify(created.data.find(({ data }) => JSON.stringify(data).includes(tenantId)));
  const { webhookSecret: secret } = STRIPE_SECRETS;
  const sign = (at: number) =>
    webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1_000) });
  return { payload, sign };
}

/** Supplies access tokens, and renews them before they expire. */
export class People {
  readonly #stack: Addresses;
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(stack: Addresses) {
    this.#stack = stack;
  }

  /** Returns the person with this subject at the identity provider. */
  person(subject: string): Caller {
    return {
      person: async () => {
        const stored = this.#tokens.get(subject);
        if (stored !== undefined && stored.until > performance.now()) return stored.token;
        const answer = await control(this.#stack, 'POST', '/tokens', { sub: subject, expires_in: LASTS_S });
        const token = text(answer, 'access_token');
        this.#tokens.set(subject, { token, until: performance.now() + (LASTS_S * 1_000) / 2 });
        return token;
      },
    };
  }

  /** Drops all tokens. Call this after the clock was moved. */
  forget(): void {
    this.#tokens.clear();
  }
}

const LASTS_S = 240;

/** Throws an `Error` if the request is refused. */
export async function must<Answer>(reply: Promise<Reply<Answer>>): Promise<{ done: Answer; requestId: string }> {
  const answer = await reply;
  if ('done' in answer) return answer;
  throw new Error(`refused with ${answer.refused} before the traffic began`);
}

/** Makes a tenant in good billing standing, with a key of each tier and an API key with all actions. */
export async function makeSoakTenant(stack: Addresses, sender: Sender, people: People): Promise<SoakTenant> {
  const owner = people.person(randomUUID());
  const ledger = new Ledger();
  const ask = <Answer>(caller: Caller, kind: Kind, work: (service: EncryptionService) => Promise<Answer>) =>
    must(sender.call(kind, caller, work));
  const { done: me } = await ask(owner, 'reads in the console', (service) => service.me());
  await setSubscription(stack, me.tenant.id, 'active');
  const allowed_actions: Action[] = [...ALL_ACTIONS];
  const minted = await ask(owner, 'changes in the console', (service) =>
    service.createApiKey({ name: 'traffic', allowed_actions }),
  );
  ledger.recorded(minted.requestId, 'create_api_key', 1);
  const apiKey = { apiKey: minted.done.token };
  const keys: SoakKey[] = [];
  for (const tier of ALL_TIERS) {
    const created = await ask(apiKey, 'changes of keys', (service) => service.createKey({ name: tier, tier }));
    ledger.recorded(created.requestId, 'create_key', 1);
    keys.push(new SoakKey(created.done));
  }
  const subscription = await subscriptionOf(stack, me.tenant.id);
  return { id: me.tenant.id, owner, apiKey, keys, ledger, subscription };
}
