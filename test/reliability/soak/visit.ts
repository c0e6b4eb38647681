import type { AuditEvent } from '../../../client/src/types.ts';
import type { MovedClock } from './moved-clock.ts';
import type { Random } from './random.ts';
import type { Caller, Kind, RawRequest, Reply, Sender } from './sender.ts';
import type { People, SoakKey, SoakTenant } from './tenants.ts';

export interface Visit {
  readonly tenant: SoakTenant;
  readonly sender: Sender;
  readonly people: People;
  readonly clock: MovedClock;
  readonly random: Random;
  /** Records a wrong answer. */
  readonly flaw: (words: string) => void;
}

/** Sends some requests, one after another. */
export type Step = (visit: Visit) => Promise<unknown>;

/** Returns the answer to a change that must have one audit row, or `undefined` if it was refused. */
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

/** Returns the answer to operations that must be counted and recorded once, or `undefined` if they were refused. */
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
    // Requests with other refusals were never counted.
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

export function kindOf({ tier }: Pick<SoakKey, 'tier'>): Kind {
  return tier === 'free' || tier === 'wrapped' ? 'operations with a data key in memory' : 'operations in the KMS';
}

/** Transit routes accept both methods for requests with a body. */
export const WRITING = ['POST', 'PUT'] as const;

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

export function anyCaller({ tenant, random }: Visit): Caller {
  return random.pick([tenant.owner, tenant.apiKey]);
}
