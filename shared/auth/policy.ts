import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { hedge } from '../base/hedge.ts';
import type { KeyId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { ApiKeyCaller, SessionCaller } from '../tenancy/caller.ts';
import type { Tier } from '../tiers.ts';
import { DecisionPoint, type Principal, type ResourceCheck } from './decision-point.ts';

export const DECISIONS: BatchLimits = {
  what: 'questions to the policy decision point',
  owner: 'process',
  past: '`503 unavailable`: the policy decision point did not answer',
  inFlight: 1,
  asksPerCall: 1_000,
  waitMs: DEADLINES_MS.policy,
};

const QUESTIONS_PER_REQUEST = 50;

/** A request's key: `new` if the request creates one, `none` for an unknown name. `tier` is `null` without a key. */
export interface Resource {
  readonly keyId: KeyId | 'new' | 'none';
  readonly tier: Tier | null;
}

/** Whether a caller may do something. It has all that the decision depends on. */
interface Question {
  readonly principal: Principal;
  readonly resource: ResourceCheck['resource'];
  readonly action: string;
}

/** Asks the policy decision point. Concurrent questions share requests. */
export class Policy {
  readonly #decisionPoint: DecisionPoint;
  readonly #questions: Batcher<Question, boolean>;

  constructor(url: string) {
    this.#decisionPoint = new DecisionPoint(url);
    this.#questions = new Batcher(DECISIONS, (questions, lateMs) => hedge(() => this.#decide(questions), lateMs));
  }

  get waiting(): number {
    return this.#questions.waiting;
  }

  /** Returns a decision made after this call. Throws `unavailable` unless the policy allows or denies in time. */
  async allows(question: Question): Promise<boolean> {
    try {
      return await this.#questions.ask(question);
    } catch (cause) {
      throw new ApiError('unavailable', 'the policy decision point did not answer', { cause });
    }
  }

  ping(): Promise<void> {
    return this.#decisionPoint.ping();
  }

  /** Asks equal questions once. A request to the decision point is about one principal. */
  async #decide(questions: readonly Question[]): Promise<boolean[]> {
    const names = questions.map((question) => JSON.stringify(question));
    const distinct = new Map(questions.map((question, at) => [names[at] ?? '', question]));
    const byPrincipal = Map.groupBy(distinct, ([, { principal }]) => JSON.stringify(principal));
    const decisions = new Map<string, boolean>();
    const ask = async (asked: readonly [string, Question][]) => {
      const checks = asked.map(([, { resource, action }]) => ({ resource, actions: [action] }));
      const principal = asked[0]?.[1].principal;
      const effects = principal && (await this.#decisionPoint.check(principal, checks));
      for (const [at, [name, { action }]] of asked.entries()) decisions.set(name, isAllowed(effects?.[at]?.[action]));
    };
    await Promise.all([...byPrincipal.values()].flatMap((asked) => inParts(asked).map(ask)));
    return names.map((name) => decisions.get(name) === true);
  }
}

function inParts<One>(all: readonly One[]): One[][] {
  const count = Math.ceil(all.length / QUESTIONS_PER_REQUEST);
  return Array.from({ length: count }, (_, part) =>
    all.slice(part * QUESTIONS_PER_REQUEST, (part + 1) * QUESTIONS_PER_REQUEST),
  );
}

function isAllowed(effect: string | undefined): boolean {
  if (effect === 'EFFECT_ALLOW' || effect === 'EFFECT_DENY') return effect === 'EFFECT_ALLOW';
  throw new Error('the policy decision point returned neither allow nor deny');
}

/** Asks whether an API key may do `action`, with the actions that it has now. */
export function ofApiKey(
  { apiKeyId, tenantId, containerId, allowedActions }: ApiKeyCaller,
  { keyId, tier }: Resource,
  action: string,
): Question {
  return {
    principal: {
      id: apiKeyId,
      roles: ['api_key'],
      attr: { tenant_id: tenantId, container_id: containerId, allowed_actions: allowedActions },
    },
    resource: { kind: 'key', id: keyId, attr: { tier } },
    action,
  };
}

export function ofMember({ userId, tenantId, role }: SessionCaller, operation: string): Question {
  return {
    principal: { id: userId, roles: [role], attr: { tenant_id: tenantId } },
    resource: { kind: 'tenant', id: tenantId, attr: {} },
    action: operation,
  };
}
