import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { withDeadline } from '../base/deadline.ts';
import type { KeyId } from '../base/ids.ts';
import type { RoundTrips } from '../base/round-trips.ts';
import { DEADLINES_MS } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Tier } from '../keys/tiers.ts';
import type { Action } from '../tenancy/actions.ts';
import type { ApiKeyCaller } from './caller.ts';
import { DecisionPoint, type Principal, type ResourceCheck } from './decision-point.ts';

/** Cerbos takes 50 resources a request unless configured otherwise. */
const BATCH_LIMITS: BatchLimits = { inFlight: 2, asksPerCall: 50, waitMs: DEADLINES_MS.policy };

/** What is acted on: a key (its tier where the caller can reach it), or none yet when one is created. */
export interface Resource {
  readonly keyId: KeyId | 'new';
  readonly tier: Tier | null;
}

interface Question {
  readonly caller: ApiKeyCaller;
  readonly action: Action;
  readonly resource: Resource;
}

/** Asks the policy decision point what an API key may do. */
export class Policy {
  readonly #decisionPoint: DecisionPoint;
  readonly #trips: RoundTrips;
  readonly #questions: Batcher<Question, boolean>;

  constructor(url: string, trips: RoundTrips) {
    this.#decisionPoint = new DecisionPoint(url);
    this.#trips = trips;
    this.#questions = new Batcher((questions) => this.#decide(questions), BATCH_LIMITS);
  }

  /** How many questions wait for a place in a request. */
  get waiting(): number {
    return this.#questions.waiting;
  }

  /** The decision, made after this call. Throws `unavailable` for anything but a clear allow or deny in time. */
  async allows(caller: ApiKeyCaller, action: Action, resource: Resource): Promise<boolean> {
    try {
      const asked = this.#questions.ask({ caller, action, resource });
      return await withDeadline('policy', DEADLINES_MS.policy, asked);
    } catch (cause) {
      throw new ApiError('unavailable', 'no answer from the actions decision', { cause });
    }
  }

  /** Throws when the decision point does not answer that it serves. */
  ping(): Promise<void> {
    return this.#decisionPoint.ping();
  }

  async #decide(questions: readonly Question[]): Promise<boolean[]> {
    const byPrincipal = Map.groupBy(questions, ({ caller }) => principalKey(caller));
    const decisions = new Map<Question, boolean>();
    await Promise.all([...byPrincipal.values()].map((asked) => this.#decideFor(asked, decisions)));
    return questions.map((question) => decisions.get(question) === true);
  }

  /** One request for all that one principal asks: each key once, with every action that is asked of it. */
  async #decideFor(asked: readonly Question[], decisions: Map<Question, boolean>): Promise<void> {
    const [first] = asked;
    if (first === undefined) return;
    const byResource = [...Map.groupBy(asked, ({ resource }) => `${resource.keyId} ${resource.tier}`).values()];
    this.#trips.add('decision');
    const effects = await this.#decisionPoint.check(describeCaller(first.caller), byResource.map(describeResource));
    for (const [index, sameResource] of byResource.entries()) {
      for (const question of sameResource) {
        const effect = effects[index]?.[question.action];
        if (effect !== 'EFFECT_ALLOW' && effect !== 'EFFECT_DENY') throw new Error('no clear decision');
        decisions.set(question, effect === 'EFFECT_ALLOW');
      }
    }
  }
}

/** Two requests of one API key are one principal only while they were given the same actions: a change may lie between them. */
function principalKey(caller: ApiKeyCaller): string {
  return `${caller.apiKeyId} ${caller.allowedActions.join(' ')}`;
}

function describeCaller({ apiKeyId, tenantId, containerId, allowedActions }: ApiKeyCaller): Principal {
  const attr = { tenant_id: tenantId, container_id: containerId, allowed_actions: allowedActions };
  return { id: apiKeyId, roles: ['api_key'], attr };
}

function describeResource(sameResource: readonly Question[]): ResourceCheck {
  const [first] = sameResource;
  const resource = first?.resource ?? { keyId: 'new', tier: null };
  return {
    resource: { kind: 'key', id: resource.keyId, attr: { tier: resource.tier } },
    actions: [...new Set(sameResource.map(({ action }) => action))],
  };
}
