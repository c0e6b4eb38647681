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

export interface KindFacts {
  readonly lookup?: KeyLookup;
  /** Whether the route accepts destroyed keys, not only live ones. */
  readonly destroyedToo?: true;
  readonly target?: Pick<Target<Id<string> | null>, 'parse'>;
  /** Whether the caller changes their own membership, which every role may do. */
  readonly isOwn?: (caller: SessionCaller, pathId: string) => boolean;
}

interface FactsRoute<Admitted> extends Checked, KindFacts {
  readonly id: string;
  readonly admits: Admission<Admitted>;
}

/** The facts about one request. Each fact is looked up at most once, and lookups run concurrently. */
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

  readonly caller = once(async () => this.#route.admits.admit((await this.identified()).identity));

  readonly origin = async (): Promise<RequestOrigin<Admitted>> => {
    return { requestId: this.request.id, caller: await this.caller() };
  };

  readonly named = once(async () => {
    const { lookup = byId } = this.#route;
    return lookup(this.services, this.request.pathId, await this.credential());
  });

  readonly path = once(async () => {
    const { target } = this.#route;
    const isWellFormed = target ? target.parse(this.request.pathId) !== undefined : (await this.named()).isWellFormed;
    if (!isWellFormed) throw notFound();
  });

  /** The key that the path names. `undefined` if there is no such key, or if the caller cannot reach it. */
  readonly found = once(async () => {
    const stored = prefetch((await this.named()).read(this.identified()));
    const { identity } = await this.identified();
    const key = await stored;
    if (key === undefined || identity.kind === 'newcomer' || !isOwn(key, identity)) return undefined;
    return isLive(key) || (this.#route.destroyedToo && key.state === 'destroyed') ? key : undefined;
  });

  readonly key = once(async () => orNotFound(await this.found(), (await this.named()).missing));

  readonly keyId = once(async () => (await this.named()).keyId ?? (await this.found())?.id);

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
    // The policy decision takes longest, so it starts early with the facts of the previous request.
    const policy = this.services.earlyDecisions.begin(presented, likelyId, action);
    if (!isWellFormed) return;
    const { identity } = await this.identified();
    const key = await this.found();
    const absent = this.#route.subject === 'new key' ? 'new' : 'none';
    const resource = { keyId: (await this.keyId()) ?? absent, tier: key?.tier ?? null } as const;
    if (identity.kind === 'api_key') await refuseAction(policy, identity, action, resource);
  }
}

export function orNotFound<Thing>(thing: Thing | undefined, message?: string): Thing {
  if (thing === undefined) throw notFound(message);
  return thing;
}
