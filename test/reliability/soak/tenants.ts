import { randomUUID } from 'node:crypto';
import type { EncryptionService } from '../../../client/src/service.ts';
import type { Action, Key, Tier } from '../../../client/src/types.ts';
import { STRIPE_SECRETS } from '../../../emulators/stack/service-environment.ts';
import { setSubscription, stripeOf } from '../../support/billing.ts';
import { type Addresses, control, text } from '../../support/client.ts';
import { ALL_ACTIONS, ALL_TIERS } from '../../support/tenant.ts';
import { Ledger } from './ledger.ts';
import type { Caller, Kind, Reply, Sender } from './sender.ts';

/** An encrypted value. Its key must be able to decrypt it while its version is enabled. */
export interface SealedValue {
  readonly ciphertext: Uint8Array;
  readonly plaintext: Uint8Array;
  readonly aad: Uint8Array | null;
  readonly version: number;
}

/** The number of values of a key that are kept and decrypted later. */
const VALUES_KEPT = 8;

/** A tenant's key, in the state that the service's answers so far describe. Later answers must match this state. */
export class SoakKey {
  readonly id: string;
  readonly tier: Tier;
  name: string;
  version: number;
  values: SealedValue[] = [];
  /** Whether a change of the key failed. The state of the key is then unknown. */
  isUncertain = false;
  #users = 0;
  #isChanging = false;

  constructor({ id, tier, name, primary_version }: Key) {
    this.id = id;
    this.tier = tier;
    this.name = name;
    this.version = primary_version;
  }

  /**
   * Does work that does not change the key. Returns `false`, without doing the work, if the key is being changed or its
   * state is unknown.
   */
  async use(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isUncertain || this.#isChanging) return false;
    this.#users += 1;
    try {
      await work();
      return true;
    } finally {
      this.#users -= 1;
    }
  }

  /**
   * Does work that changes the key, unless the key is in use or its state is unknown. No other work uses the key at the
   * same time. Returns whether the work was done.
   */
  async change(work: () => Promise<unknown>): Promise<boolean> {
    if (this.isUncertain || this.#isChanging || this.#users > 0) return false;
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

  /** Stores the state from an answer, and drops the values of versions that are no longer enabled. */
  update({ name, primary_version, versions }: Key): void {
    this.name = name;
    this.version = primary_version;
    const enabled = new Set(versions.filter(({ state }) => state === 'enabled').map(({ version }) => version));
    this.values = this.values.filter(({ version }) => enabled.has(version));
  }
}

/** A tenant, and what must be stored for it at the end. */
export interface SoakTenant {
  readonly id: string;
  readonly owner: Caller;
  readonly apiKey: { readonly apiKey: string };
  readonly keys: SoakKey[];
  readonly ledger: Ledger;
  readonly subscription: SubscriptionEvent;
}

/** Stripe's event about a tenant's subscription. */
interface SubscriptionEvent {
  readonly payload: string;
  /** Returns the signature for a delivery at a time, in milliseconds since the epoch. */
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

/** Gets access tokens for people, and renews tokens that will expire soon. */
export class People {
  readonly #stack: Addresses;
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(stack: Addresses) {
    this.#stack = stack;
  }

  /** Returns the person whom the identity provider knows by this subject. */
  person(subject: string): Caller {
    return {
      person: async () => {
        const found = this.#tokens.get(subject);
        if (found !== undefined && found.until > performance.now()) return found.token;
        const answer = await control(this.#stack, 'POST', '/tokens', { sub: subject, expires_in: TOKEN_LIFETIME_S });
        const token = text(answer, 'access_token');
        this.#tokens.set(subject, { token, until: performance.now() + (TOKEN_LIFETIME_S * 1_000) / 2 });
        return token;
      },
    };
  }

  /** Drops all tokens. Call it after the clock was moved. */
  forget(): void {
    this.#tokens.clear();
  }
}

const TOKEN_LIFETIME_S = 240;

/** Returns the reply to a request that must succeed. Throws an `Error` if the request is refused. */
export async function expectSuccess<Answer>(
  reply: Promise<Reply<Answer>>,
): Promise<{ done: Answer; requestId: string }> {
  const found = await reply;
  if ('done' in found) return found;
  throw new Error(`refused with ${found.refused} before the traffic began`);
}

/** Creates a tenant in good billing standing, with a key of each tier and an API key that has all actions. */
export async function makeSoakTenant(stack: Addresses, sender: Sender, people: People): Promise<SoakTenant> {
  const owner = people.person(randomUUID());
  const ledger = new Ledger();
  const ask = <Answer>(caller: Caller, kind: Kind, work: (service: EncryptionService) => Promise<Answer>) =>
    expectSuccess(sender.call(kind, caller, work));
  const { done: me } = await ask(owner, 'reads in the console', (service) => service.me());
  await setSubscription(stack, me.tenant.id, 'active');
  const allowed_actions: Action[] = [...ALL_ACTIONS];
  const minted = await ask(owner, 'changes in the console', (service) =>
    service.createApiKey({ name: 'traffic', allowed_actions }),
  );
  ledger.recorded(minted.requestId, 'create_api_key', 1);
  if (minted.done.token === null) throw new Error('an API key was made without a token');
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
