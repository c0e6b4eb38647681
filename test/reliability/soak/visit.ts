import type { AuditEvent } from '../../../client/src/types.ts';
import type { MovedClock } from './moved-clock.ts';
import type { Random } from './random.ts';
import type { Caller, Kind, RawRequest, Reply, Sender } from './sender.ts';
import type { People, SoakKey, SoakTenant } from './tenants.ts';

/** A worker's visit to a tenant. */
export interface Visit {
  readonly tenant: SoakTenant;
  readonly sender: Sender;
  readonly people: People;
  readonly clock: MovedClock;
  readonly random: Random;
  /** Notes a wrong answer. */
  readonly flaw: (words: string) => void;
}

/** What a worker may do at a visit: some requests, one after another. */
export type Step = (visit: Visit) => Promise<unknown>;

/** The answer to a change of which there must be one row, `undefined` where it was refused. */
export async function change<Answer>(
  { ledger }: SoakTenant,
  operation: AuditEvent['operation'],
  asked: Promise<Reply<Answer>>,
): Promise<Answer | undefined> {
  const reply = await asked;
  if ('refused' in reply) {
    ledger.recorded(reply.requestId, operation, 0, 1);
    return undefined;
  }
  ledger.recorded(reply.requestId, operation, 1);
  return reply.done;
}

/** The answer to operations on a key, which must be counted and recorded once; `undefined` where they were refused. */
export async function operate<Answer>(
  { ledger }: SoakTenant,
  key: SoakKey,
  operation: AuditEvent['operation'],
  asked: Promise<Reply<Answer>>,
  performed: (answer: Answer) => number = () => 1,
  most = 1,
): Promise<Answer | undefined> {
  const reply = await asked;
  if ('refused' in reply) {
    // What was refused otherwise did not get to the count.
    const perhaps = /^(4|503)/.test(reply.refused) ? 0 : most;
    ledger.perhapsCounted(key.id, reply.when, perhaps);
    ledger.recorded(reply.requestId, operation, 0, perhaps);
    return undefined;
  }
  const times = performed(reply.done);
  ledger.counted(key.id, reply.when, times);
  ledger.recorded(reply.requestId, operation, times);
  return reply.done;
}

/** The kind of an operation on a key. */
export function kindOf({ tier }: Pick<SoakKey, 'tier'>): Kind {
  return tier === 'free' || tier === 'wrapped' ? 'operations with a data key in memory' : 'operations in the KMS';
}

/** The methods that the routes for Vault's clients know for what is sent. */
export const WRITING = ['POST', 'PUT'] as const;

/** A request of the routes for Vault's clients. */
export function transit(
  { tenant, sender }: Visit,
  kind: Kind,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply<unknown>> {
  const request: RawRequest = { method, path: `/v1${path}`, headers: { 'x-vault-token': tenant.apiKey.apiKey }, body };
  return sender.raw(kind, request);
}

/** The tenant's owner or its API key. */
export function anyCaller({ tenant, random }: Visit): Caller {
  return random.pick([tenant.owner, tenant.apiKey]);
}
