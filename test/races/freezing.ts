import { expect } from 'vitest';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { outcome } from '../support/client.ts';
import { keyObject, read } from '../support/objects.ts';
import { encrypt, operate } from '../support/operations.ts';
import type { Tenant } from '../support/tenant.ts';
import { type Race, type RaceRequest, sending } from './race.ts';

type Name = 'freeze' | 'thaw' | 'rotate' | 'encrypt' | 'delete' | 'restore';

/** A key as the model sees it, with the rows of its audit log. */
interface State {
  readonly frozen: boolean;
  readonly pending: boolean;
  readonly primary: number;
  readonly rows: readonly string[];
}

const operationOf = (name: Name) => (name === 'encrypt' ? name : `${name}_key`);

/** The error of a request in a state, if there is one. */
const REFUSAL: Readonly<Record<Name, (state: State) => string | undefined>> = {
  freeze: refusalOfChange,
  thaw: refusalOfChange,
  rotate: refusalOfUse,
  encrypt: refusalOfUse,
  delete: () => undefined,
  restore: ({ pending }) => (pending ? undefined : 'not_pending_deletion'),
};

/** What a request changes. */
const EFFECT: Readonly<Record<Name, (state: State) => Partial<State>>> = {
  freeze: () => ({ frozen: true }),
  thaw: () => ({ frozen: false }),
  rotate: ({ primary }) => ({ primary: primary + 1 }),
  encrypt: () => ({}),
  delete: () => ({ pending: true }),
  restore: () => ({ pending: false }),
};

/** The requests that are not recorded if they change nothing. */
const IDEMPOTENT: readonly Name[] = ['freeze', 'thaw', 'delete'];

function refusalOfChange({ pending }: State): string | undefined {
  return pending ? 'key_pending_deletion' : undefined;
}

function refusalOfUse(state: State): string | undefined {
  return refusalOfChange(state) ?? (state.frozen ? 'key_frozen' : undefined);
}

function perform(state: State, name: Name): { readonly outcome: string; readonly state: State } {
  const refusal = REFUSAL[name](state);
  const row = refusal === undefined ? operationOf(name) : `${operationOf(name)} ${refusal}`;
  const rows = [...state.rows, row].sort();
  if (refusal !== undefined) return { outcome: `409 ${refusal}`, state: { ...state, rows } };
  const after = { ...state, ...EFFECT[name](state) };
  const isNothing = after.frozen === state.frozen && after.pending === state.pending;
  return { outcome: '200', state: IDEMPOTENT.includes(name) && isNothing ? after : { ...after, rows } };
}

/** Performs the requests one after another, in every order. The outcomes are in the order of `names`. */
function endings(start: State, names: readonly Name[]): { readonly outcomes: string[]; readonly state: State }[] {
  return orders([...names.keys()]).map((order) => {
    const outcomes: string[] = [];
    let state = start;
    for (const at of order) {
      const name = names[at];
      if (name === undefined) continue;
      const performed = perform(state, name);
      outcomes[at] = performed.outcome;
      state = performed.state;
    }
    return { outcomes, state };
  });
}

function orders(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => orders(items.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

function requestOf({ api, console }: Tenant, path: string, name: Name): RaceRequest {
  if (name === 'delete') return sending(console, 'DELETE', path);
  if (name === 'encrypt') return sending(api, 'POST', `${path}/encrypt`, { plaintext: 'AAAA' });
  return sending(console, 'POST', `${path}/${name}`);
}

async function stateOf({ api, console }: Tenant, id: string): Promise<State> {
  const key = read(keyObject, await api.send('GET', `/v1/keys/${id}`));
  const rows = inWords(await eventsOfKey(console, id)).sort();
  const [frozen, pending] = [key.frozen_at !== null, key.state === 'pending_deletion'];
  return { frozen, pending, primary: key.primary_version, rows };
}

/** Sends requests at once that come after `before`. The result must be that of the requests in some order. */
function race(tier: 'wrapped' | 'software', names: readonly Name[], before: readonly Name[] = []): Race {
  const created: State = { frozen: false, pending: false, primary: 1, rows: ['create_key'] };
  const start = before.reduce((state, name) => perform(state, name).state, created);
  const possible = endings(start, names);
  return {
    name: `${names.join(', ')} at once, of a ${tier} key${before.map((name) => ` after ${name}`).join('')}, end as in some order`,
    allowed: possible.map(({ outcomes }) => outcomes.join(' | ')),
    round: async (pair, tenant) => {
      const id = await tenant.createKey(tier);
      const request = (name: Name) => requestOf(tenant, `/v1/keys/${id}`, name);
      for (const name of before) await request(name)(pair.stackProcess);
      const check = async (outcomes: readonly string[]) => {
        const fitting = possible.filter((one) => one.outcomes.join() === outcomes.join());
        expect(fitting.map(({ state }) => state)).toContainEqual(await stateOf(tenant, id));
        await request('restore')(pair.stackProcess);
        await request('thaw')(pair.stackProcess);
        const ciphertext = await encrypt(tenant.api, id, 'AAAA');
        expect(outcome(await operate(tenant.api, id, 'decrypt', { ciphertext }))).toBe('200');
      };
      return { requests: names.map(request), check };
    },
  };
}

export const freezingRaces: readonly Race[] = [
  race('wrapped', ['freeze', 'rotate', 'encrypt']),
  race('software', ['freeze', 'rotate', 'encrypt']),
  race('wrapped', ['thaw', 'rotate', 'encrypt'], ['freeze']),
  race('wrapped', ['freeze', 'thaw', 'rotate']),
  race('wrapped', ['freeze', 'freeze', 'rotate']),
  race('wrapped', ['freeze', 'delete', 'encrypt']),
  race('wrapped', ['thaw', 'delete', 'restore'], ['freeze']),
  race('wrapped', ['freeze', 'restore', 'rotate'], ['delete']),
  race('software', ['freeze', 'restore', 'delete'], ['delete']),
];
