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

/** What a worker may do in a visit: one or more requests in sequence. */
export type Step = (visit: Visit) => Promise<unknown>;

/** The answer to a change, which must leave exactly one audit row. `undefined` if the change was refused. */
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

/** The answer to operations on a key, which must be counted and recorded once. `undefined` if they were refused. */
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
    // Any other refusal happens before the operation is counted.
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

/** The methods of the Transit routes that write. */
export const WRITING = ['POST', 'PUT'] as const;

/** Sends a request to a Transit route. */
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
