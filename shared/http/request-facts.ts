import type { RequestOrigin } from '../audit/record.ts';
import type { Admission } from '../auth/admission.ts';
import { refuseAction, refuseRole } from '../auth/authorize.ts';
import { type PresentedCredential, presentCredential, proveCredential } from '../auth/identify.ts';
import type { Id } from '../base/ids.ts';
import { once } from '../base/once.ts';
import { prefetch } from '../base/prefetch.ts';
import { notFound } from '../errors.ts';
import { isOwn } from '../keys/guards.ts';
import { isLive } from '../keys/key.ts';
import type { Services } from '../services.ts';
import type { SessionCaller } from '../tenancy/caller.ts';
import { byId, type KeyLookup } from './key-lookup.ts';
import type { Request } from './request.ts';
import { actionOf, type Checked, isDecidedByRole } from './route.ts';
import type { Target } from './target.ts';

/** What only some kinds of routes declare, and facts depend on. */
export interface KindFacts {
  /** How the path names the key; by its id unless this says otherwise. */
  readonly lookup?: KeyLookup;
  /** Whether destroyed keys are found, too. */
  readonly destroyedToo?: true;
  readonly target?: Pick<Target<Id<string> | null>, 'parse'>;
  /** Whether the caller's role does not matter for what the path names. */
  readonly isOwn?: (caller: SessionCaller, pathId: string) => boolean;
}

/** What the facts about a request depend on. */
interface FactsRoute<Admitted> extends Checked, KindFacts {
  readonly id: string;
  readonly admits: Admission<Admitted>;
}

/**
 * What the steps and the handler of one request look at. A fact is asked for at most once, when it is first looked at. All
 * steps begin together, so the facts are asked for side by side.
 */
export class RequestFacts<Admitted = unknown, Input = unknown> {
  readonly services: Services;
  readonly request: Request;
  readonly input: Promise<Input>;
  readonly #route: FactsRoute<Admitted>;

  constructor(services: Services, request: Request, route: FactsRoute<Admitted>, input: Promise<Input>) {
    this.services = services;
    this.request = request;
    this.input = input;
    this.#route = route;
  }

  readonly credential = once(() => presentCredential(this.services, this.request));

  readonly identified = once(async () => proveCredential(this.services, this.request, await this.credential()));

  /** Rejects unless the route accepts this kind of credential. */
  readonly caller = once(async () => this.#route.admits.admit((await this.identified()).identity));

  /** Who the audit log names. */
  readonly origin = async (): Promise<RequestOrigin<Admitted>> => {
    return { requestId: this.request.id, caller: await this.caller() };
  };

  /** What the path says about the key that it names. */
  readonly named = once(async () => {
    const { lookup = byId } = this.#route;
    return lookup(this.services, this.request.pathId, await this.credential());
  });

  /** Rejects if nothing can have the ID or name in the path. */
  readonly path = once(async () => {
    const { target } = this.#route;
    const isWellFormed = target ? target.parse(this.request.pathId) !== undefined : (await this.named()).isWellFormed;
    if (!isWellFormed) throw notFound();
  });

  /** The key that the path names, `undefined` if the caller can reach none: every other key is treated as absent. */
  readonly found = once(async () => {
    const stored = prefetch((await this.named()).read(this.identified()));
    const { identity } = await this.identified();
    const key = await stored;
    if (key === undefined || identity.kind === 'newcomer' || !isOwn(key, identity)) return undefined;
    return isLive(key) || (this.#route.destroyedToo && key.state === 'destroyed') ? key : undefined;
  });

  /** The same; rejects with `not_found` instead. */
  readonly key = once(async () => orNotFound(await this.found()));

  /** The ID in the path, or of the key that has the name in the path. */
  readonly keyId = once(async () => (await this.named()).keyId ?? (await this.found())?.id);

  /** Rejects if the policy does not allow the operation's action to the API key, or the route to the member's role. */
  readonly allowed = once(async () => {
    const presented = await this.credential();
    return presented.kind === 'api_key' ? this.#allowAction(presented) : this.#allowRole();
  });

  async #allowRole(): Promise<void> {
    const { id, isOwn } = this.#route;
    if (!isDecidedByRole(this.#route.admits.credential, this.#route.method)) return;
    const { identity } = await this.identified();
    if (identity.kind !== 'session' || isOwn?.(identity, this.request.pathId)) return;
    await refuseRole(this.services.policy, identity, id);
  }

  async #allowAction(presented: PresentedCredential): Promise<void> {
    const action = actionOf(this.#route);
    if (action === null) return;
    const { isWellFormed, likelyId } = await this.named();
    // The decision takes longest, so it is asked for with what the last request found, before the reads have ended.
    const policy = this.services.earlyDecisions.begin(presented, likelyId, action);
    if (!isWellFormed) return;
    const { identity } = await this.identified();
    const key = await this.found();
    const absent = this.#route.subject === 'new key' ? 'new' : 'none';
    const resource = { keyId: (await this.keyId()) ?? absent, tier: key?.tier ?? null } as const;
    if (identity.kind === 'api_key') await refuseAction(policy, identity, action, resource);
  }
}

/** Throws `not_found` for `undefined`. */
export function orNotFound<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw notFound();
  return thing;
}
