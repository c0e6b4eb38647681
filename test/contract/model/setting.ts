import { expect } from 'vitest';
import { type Addresses, type Answer, list, text } from '../../support/client.ts';
import { ALL_ACTIONS, type Client, makeTenant, type Tier } from '../../support/tenant.ts';
import { type Actor, record, type World } from './world.ts';

/** Everything that the commands need to send requests. */
export interface Setting {
  readonly stack: Addresses;
  readonly tenantIds: readonly string[];
  /** For each tenant, the ids of its default container and of a second container. */
  readonly containers: readonly (readonly string[])[];
  /** The HTTP clients of the actors, in the order of `World.actors`. */
  readonly clients: readonly Client[];
  /** For each tenant, all ids that belong to it. Answers to the other tenant must not contain them. */
  readonly ids: readonly Set<string>[];
  /** Sends a request as the actor. Throws if the answer contains an id of the other tenant. */
  ask(actor: Actor, method: string, path: string, body?: unknown): Promise<Answer>;
}

/**
 * Makes two tenants, each with a session, four API keys, two containers and a key. Only the first tenant's billing is
 * in good standing.
 */
export async function makeSetting(stack: Addresses): Promise<{ world: World; setting: Setting }> {
  const actors: Actor[] = [];
  const world: World = { actors, keys: [], sealed: [], rows: [[], []], standing: [true, false] };
  const clients: Client[] = [];
  const tenantIds: string[] = [];
  const containers: string[][] = [];
  const ids = [new Set<string>(), new Set<string>()];
  for (const [tenant, standing] of ['active', 'none'].entries()) {
    const made = await makeTenant(stack, standing);
    const user = Object(Object((await made.console.send('GET', '/v1/me')).body).user);
    const [first] = list(await made.console.send('GET', '/v1/containers'));
    const own = [String(first?.id), text(await made.console.send('POST', '/v1/containers', { name: 'other' }), 'id')];
    const [container = '', other = ''] = own;
    const tier: Tier = tenant === 0 ? 'wrapped' : 'free';
    const key = await made.createKey(tier, 'first');
    const limited = ['encrypt', 'decrypt', 'rotate'];
    const add = (kind: Actor['kind'], id: string, client: Client, rest: Partial<Actor> = {}) => {
      actors.push({ tenant, kind, id, container, actions: ALL_ACTIONS, keyIds: null, ...rest });
      clients.push(client);
    };
    const mint = async (options: Parameters<typeof made.mint>[0], rest: Partial<Actor>) => {
      const { id, client } = await made.mint(options);
      add('api_key', id, client, rest);
    };
    add('session', user.id, made.console);
    add('api_key', made.apiKeyId, made.api);
    await mint({ allowed_actions: limited }, { actions: limited });
    await mint({ container_id: other }, { container: other });
    await mint({ key_ids: [key] }, { keyIds: [key] });
    world.keys.push({ id: key, tenant, container, tier, name: 'first', state: 'active', primary: 1, ops: 0 });
    const creator = actors.at(-4);
    if (creator !== undefined) record(world, creator, 'create_key', key, null);
    tenantIds.push(made.id);
    containers.push(own);
    for (const id of [made.id, user.id, key, ...own, ...actors.slice(-4).map((actor) => actor.id)])
      ids[tenant]?.add(id);
  }
  const setting: Setting = {
    stack,
    tenantIds,
    containers,
    clients,
    ids,
    async ask(actor, method, path, body) {
      const client = clients[actors.indexOf(actor)];
      if (client === undefined) throw new Error('the actor has no client');
      const answer = await client.send(method, path, body);
      const answerText = JSON.stringify([answer.body, [...answer.headers]]);
      const foreign = [...(ids[1 - actor.tenant] ?? [])].filter((id) => answerText.includes(id));
      expect(foreign, `${method} ${path} returned ids of another tenant`).toEqual([]);
      return answer;
    },
  };
  return { world, setting };
}
