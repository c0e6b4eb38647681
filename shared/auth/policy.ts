import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { hedge } from '../base/hedge.ts';
import type { KeyId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { ApiKeyCaller, SessionCaller } from '../tenancy/caller.ts';
import type { Tier } from '../tiers.ts';
import { DecisionPoint, type Principal, type ResourceCheck } from './decision-point.ts';

const BATCH_LIMITS: BatchLimits = {
  inFlight: 1,
  asksPerCall: 1_000,
  waitMs: DEADLINES_MS.policy,
};

const RESOURCES_PER_REQUEST = 50;

/** A request's key: `new` if the request creates one, `none` for an unknown name. `tier` is `null` without a key. */
export interface Resource {
  readonly keyId: KeyId | 'new' | 'none';
  readonly tier: Tier | null;
}

/** What a policy decision depends on: who calls, and what the call is about. */
export interface Facts {
  readonly principal: Principal;
  readonly resource: ResourceCheck['resource'];
  /** All attributes as text, to compare facts and to group equal facts. */
  readonly principalText: string;
  readonly resourceText: string;
}

interface Question {
  readonly facts: Facts;
  readonly action: string;
}

/** Asks the policy decision point. Concurrent questions share requests. */
export class Policy {
  readonly #decisionPoint: DecisionPoint;
  readonly #questions: Batcher<Question, boolean>;

  constructor(url: string) {
    this.#decisionPoint = new DecisionPoint(url);
    this.#questions = new Batcher((questions, lateMs) => hedge(() => this.#decide(questions), lateMs), BATCH_LIMITS);
  }

  get waiting(): number {
    return this.#questions.waiting;
  }

  /** Returns a decision made after this call. Throws `unavailable` unless the policy allows or denies in time. */
  allows(facts: Facts, action: string): Promise<boolean> {
    return this.#questions.ask({ facts, action }).catch(refuseUnanswered);
  }

  ping(): Promise<void> {
    return this.#decisionPoint.ping();
  }

  async #decide(questions: readonly Question[]): Promise<boolean[]> {
    const decisions = new Map<Question, boolean>();
    const requests = [...Map.groupBy(questions, ({ facts }) => facts.principalText).values()].flatMap((asked) => {
      const byResource = [...Map.groupBy(asked, ({ facts }) => facts.resourceText).values()];
      const count = Math.ceil(byResource.length / RESOURCES_PER_REQUEST);
      return Array.from({ length: count }, (_, n) =>
        this.#request(byResource.slice(n * RESOURCES_PER_REQUEST, (n + 1) * RESOURCES_PER_REQUEST), decisions),
      );
    });
    await Promise.all(requests);
    return questions.map((question) => decisions.get(question) === true);
  }

  async #request(byResource: readonly (readonly Question[])[], decisions: Map<Question, boolean>): Promise<void> {
    const principal = byResource[0]?.[0]?.facts.principal;
    if (principal === undefined) return;
    const effects = await this.#decisionPoint.check(principal, byResource.map(checkOf));
    for (const [index, sameResource] of byResource.entries()) {
      for (const question of sameResource) {
        const effect = effects[index]?.[question.action];
        if (effect !== 'EFFECT_ALLOW' && effect !== 'EFFECT_DENY')
          throw new Error('the policy decision point returned neither allow nor deny');
        decisions.set(question, effect === 'EFFECT_ALLOW');
      }
    }
  }
}

function refuseUnanswered(cause: unknown): never {
  throw new ApiError('unavailable', 'the policy decision point did not answer', { cause });
}

/** Returns the facts of an API key's request, with the actions that are allowed now. */
export function factsOf(
  { apiKeyId, tenantId, containerId, allowedActions }: ApiKeyCaller,
  { keyId, tier }: Resource,
): Facts {
  return {
    principal: {
      id: apiKeyId,
      roles: ['api_key'],
      attr: { tenant_id: tenantId, container_id: containerId, allowed_actions: allowedActions },
    },
    resource: { kind: 'key', id: keyId, attr: { tier } },
    principalText: `${apiKeyId} ${tenantId} ${containerId} ${allowedActions.join(' ')}`,
    resourceText: `${keyId} ${tier}`,
  };
}

export function factsOfMember({ userId, tenantId, role }: SessionCaller): Facts {
  return {
    principal: { id: userId, roles: [role], attr: { tenant_id: tenantId } },
    resource: { kind: 'tenant', id: tenantId, attr: {} },
    principalText: `${userId} ${tenantId} ${role}`,
    resourceText: tenantId,
  };
}

function checkOf(sameResource: readonly Question[]): ResourceCheck {
  const [first] = sameResource;
  if (first === undefined) throw new Error('a check needs a question');
  return { resource: first.facts.resource, actions: [...new Set(sameResource.map(({ action }) => action))] };
}
