import type { AuditEvent } from '../../../client/src/types.ts';
import type { MovedClock } from './moved-clock.ts';
import type { Caller, Kind, RawRequest, Reply, Sender } from './sender.ts';
import type { People, SoakKey, SoakTenant } from './tenants.ts';

/** What a step needs: a tenant, and objects to send requests and to note their results. */
export interface StepContext {
  readonly tenant: SoakTenant;
  readonly sender: Sender;
  readonly people: People;
  readonly clock: MovedClock;
  readonly random: Random;
  /** Notes a wrong answer. */
  readonly flaw: (words: string) => void;
}

/** One or more requests of a tenant, in sequence. */
export type Step = (context: StepContext) => Promise<unknown>;

/**
 * Waits for the answer to a change, and notes that the change must have exactly one audit row. Returns the answer, or
 * `undefined` if the change was refused.
 */
export async function change<Answer>(
  { ledger }: SoakTenant,
  operation: AuditEvent['operation'],
  pending: Promise<Reply<Answer>>,
): Promise<Answer | undefined> {
  const reply = await pending;
  if ('refused' in reply) {
    ledger.recorded(reply.requestId, operation, 0, 1);
    return undefined;
  }
  ledger.recorded(reply.requestId, operation, 1);
  return reply.done;
}

/**
 * Waits for the answer to operations with a key, and notes that each must be counted once and recorded once. Returns
 * the answer, or `undefined` if they were refused.
 */
export async function operate<Answer>(
  { ledger }: SoakTenant,
  key: SoakKey,
  operation: AuditEvent['operation'],
  pending: Promise<Reply<Answer>>,
  performed: (answer: Answer) => number = () => 1,
  most = 1,
): Promise<Answer | undefined> {
  const reply = await pending;
  if ('refused' in reply) {
    // With these refusals, the operation cannot have been counted.
    const perhaps = /^(4|503)/.test(reply.refused) ? 0 : most;
    ledger.maybeCounted(key.id, reply.when, perhaps);
    ledger.recorded(reply.requestId, operation, 0, perhaps);
    return undefined;
  }
  const times = performed(reply.done);
  ledger.counted(key.id, reply.when, times);
  ledger.recorded(reply.requestId, operation, times);
  return reply.done;
}

/** Returns the kind of operations with a key. */
export function kindOf({ tier }: Pick<SoakKey, 'tier'>): Kind {
  return tier === 'free' || tier === 'wrapped' ? 'operations with a data key in memory' : 'operations in the KMS';
}

/** The methods with which clients may call a Transit route that writes. */
export const WRITING = ['POST', 'PUT'] as const;

/** Sends a request to a Transit route. */
export function transit(
  { tenant, sender }: StepContext,
  kind: Kind,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply<unknown>> {
  const request: RawRequest = { method, path: `/v1${path}`, headers: { 'x-vault-token': tenant.apiKey.apiKey }, body };
  return sender.raw(kind, request);
}

/** Returns the tenant's owner or its API key, at random. */
export function anyCaller({ tenant, random }: StepContext): Caller {
  return random.pick([tenant.owner, tenant.apiKey]);
}

/** Random numbers from a seed. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** Returns one of the items. Throws a `RangeError` if there are no items. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Makes a generator with the algorithm mulberry32, which is in the public domain. */
export function makeRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick(items) {
      const at = below(items.length);
      for (const item of items.slice(at, at + 1)) return item;
      throw new RangeError('nothing to pick from');
    },
  };
}
