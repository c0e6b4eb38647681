import { Batcher, type BatchLimits } from '../base/batcher.ts';
import type { KeyId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { Action } from '../operations.ts';
import type { ApiKeyCaller } from '../tenancy/caller.ts';
import type { Tier } from '../tiers.ts';
import { DecisionPoint, type Principal, type ResourceCheck } from './decision-point.ts';

/** One call in flight at a time: two would make smaller batches. A slot is held as long as that of the reads beside it. */
const BATCH_LIMITS: BatchLimits = { inFlight: 1, asksPerCall: 300, waitMs: DEADLINES_MS.policy, holdMs: 24 };

/** What Cerbos accepts by default. */
const RESOURCES_PER_REQUEST = 50;

/** The resource of a check: a key, with its tier if the caller can reach it, a key to be created, or none that has the name. */
export interface Resource {
  readonly keyId: KeyId | 'new' | 'none';
  readonly tier: Tier | null;
}

/** What a decision is about, the action apart. */
export interface Facts {
  readonly caller: ApiKeyCaller;
  readonly resource: Resource;
  /** All of it that the policy is told, as text. */
  readonly text: string;
}

interface Question {
  readonly facts: Facts;
  readonly action: Action;
}

export class Policy {
  readonly #decisionPoint: DecisionPoint;
  readonly #questions: Batcher<Question, boolean>;

  constructor(url: string) {
    this.#decisionPoint = new DecisionPoint(url);
    this.#questions = new Batcher((questions) => this.#decide(questions), BATCH_LIMITS, {
      nameOf: ({ facts, action }) => `${action} ${facts.text}`,
    });
  }

  get waiting(): number {
    return this.#questions.waiting;
  }

  /** Returns a decision made after this call. Throws `unavailable` unless there is a clear allow or deny in time. */
  allows(facts: Facts, action: Action): Promise<boolean> {
    return this.#questions.ask({ facts, action }).catch(refuseUnanswered);
  }

  ping(): Promise<void> {
    return this.#decisionPoint.ping();
  }

  async #decide(questions: readonly Question[]): Promise<boolean[]> {
    const byPrincipal = Map.groupBy(questions, ({ facts }) => principalKey(facts.caller));
    const decisions = new Map<Question, boolean>();
    await Promise.all([...byPrincipal.values()].map((asked) => this.#decideFor(asked, decisions)));
    return questions.map((question) => decisions.get(question) === true);
  }

  /** Sends one request per principal, or as few as hold its resources, each once with all its actions. */
  async #decideFor(asked: readonly Question[], decisions: Map<Question, boolean>): Promise<void> {
    const [first] = asked;
    if (first === undefined) return;
    const principal = describeCaller(first.facts.caller);
    const byResource = [...Map.groupBy(asked, ({ facts }) => resourceKey(facts.resource)).values()];
    const requests: Promise<void>[] = [];
    for (let start = 0; start < byResource.length; start += RESOURCES_PER_REQUEST) {
      requests.push(this.#request(principal, byResource.slice(start, start + RESOURCES_PER_REQUEST), decisions));
    }
    await Promise.all(requests);
  }

  async #request(
    principal: Principal,
    byResource: readonly (readonly Question[])[],
    decisions: Map<Question, boolean>,
  ): Promise<void> {
    const effects = await this.#decisionPoint.check(principal, byResource.map(describeResource));
    for (const [index, sameResource] of byResource.entries()) {
      for (const question of sameResource) {
        const effect = effects[index]?.[question.action];
        if (effect !== 'EFFECT_ALLOW' && effect !== 'EFFECT_DENY') throw new Error('no clear decision');
        decisions.set(question, effect === 'EFFECT_ALLOW');
      }
    }
  }
}

function refuseUnanswered(cause: unknown): never {
  throw new ApiError('unavailable', 'no answer from the actions decision', { cause });
}

/** What a decision about a caller and a resource goes by. */
export function factsOf(caller: ApiKeyCaller, resource: Resource): Facts {
  return { caller, resource, text: `${principalKey(caller)} ${resourceKey(resource)}` };
}

/** All that the policy is told of the caller; the allowed actions may have changed between two requests of an API key. */
function principalKey({ apiKeyId, tenantId, containerId, allowedActions }: ApiKeyCaller): string {
  return `${apiKeyId} ${tenantId} ${containerId} ${allowedActions.join(' ')}`;
}

function resourceKey({ keyId, tier }: Resource): string {
  return `${keyId} ${tier}`;
}

function describeCaller({ apiKeyId, tenantId, containerId, allowedActions }: ApiKeyCaller): Principal {
  const attr = { tenant_id: tenantId, container_id: containerId, allowed_actions: allowedActions };
  return { id: apiKeyId, roles: ['api_key'], attr };
}

function describeResource(sameResource: readonly Question[]): ResourceCheck {
  const [first] = sameResource;
  const resource = first?.facts.resource ?? { keyId: 'new', tier: null };
  return {
    resource: { kind: 'key', id: resource.keyId, attr: { tier: resource.tier } },
    actions: [...new Set(sameResource.map(({ action }) => action))],
  };
}
