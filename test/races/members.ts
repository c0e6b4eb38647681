import { expect } from 'vitest';
import { eventsOfTenant } from '../support/audit.ts';
import { type Addresses, list, outcome } from '../support/client.ts';
import { inviteTo, join, meOf, type Person, signInSomebody } from '../support/team.ts';
import { fillMembers } from '../support/team-size.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { type Contender, each, type Race, sending } from './race.ts';

const GONE = '403 no_tenant';
const LOWERED = '403 role_not_allowed';
const LAST = '409 last_owner';

/** Returns the outcomes of two requests in either order: the earlier gets `first`, the later gets one of `others`. */
function firstWins(first: string, others: readonly string[]): string[] {
  return others.flatMap((other) => [`${first} | ${other}`, `${other} | ${first}`]);
}

/** Makes a tenant with two owners, the second of whom has just joined. */
async function withTwoOwners(stack: Addresses): Promise<{ tenant: Tenant; owners: [Person, Person] }> {
  const tenant = await makeTenant(stack);
  const { user } = await meOf(tenant.console);
  return { tenant, owners: [{ id: user.id, session: tenant.console }, await join(tenant, 'owner')] };
}

const pathOf = ({ id }: Person) => `/v1/members/${id}`;

async function rolesSeenBy(session: Client): Promise<unknown[]> {
  return list(await session.send('GET', '/v1/members')).map(({ role }) => role);
}

/** What two owners do to each other at the same time. `left`: the roles in the tenant afterwards. */
const AGAINST_EACH_OTHER = [
  { does: 'remove each other', method: 'DELETE', body: undefined, done: '204', refused: [LAST, GONE], left: ['owner'] },
  {
    does: 'lower each other’s role',
    method: 'PATCH',
    body: { role: 'auditor' },
    done: '200',
    refused: [LAST, LOWERED],
    left: ['auditor', 'owner'],
  },
] as const;

/** A tenant always has an owner. */
const lastOwner: readonly Race[] = [
  ...AGAINST_EACH_OTHER.map(
    ({ does, method, body, done, refused, left }): Race => ({
      name: `if the only two owners ${does} at the same time, one of them stays owner`,
      allowed: firstWins(done, refused),
      open:
        async ({ there }) =>
        async () => {
          const { owners } = await withTwoOwners(there);
          const [one, other] = owners;
          const contenders = [
            sending(one.session, method, pathOf(other), body),
            sending(other.session, method, pathOf(one), body),
          ];
          const check = async (outcomes: readonly string[]) => {
            const winner = outcomes[0] === done ? one : other;
            expect((await rolesSeenBy(winner.session)).sort()).toEqual(left);
            expect((await meOf(winner.session)).role).toBe('owner');
          };
          return { contenders, check };
        },
    }),
  ),
  {
    name: 'if the only two owners leave at the same time, one of them has to stay',
    allowed: firstWins('204', [LAST]),
    open:
      async ({ there }) =>
      async () => {
        const { tenant, owners } = await withTwoOwners(there);
        const contenders = owners.map((owner) => sending(owner.session, 'DELETE', pathOf(owner)));
        const check = async ([first]: readonly string[]) => {
          const [gone, stayed] = first === '204' ? owners : owners.toReversed();
          expect(await rolesSeenBy(stayed?.session ?? tenant.console)).toEqual(['owner']);
          expect(outcome(await (gone?.session ?? tenant.console).send('GET', '/v1/members'))).toBe(GONE);
        };
        return { contenders, check };
      },
  },
];

const accepting = (session: Client, token: string) => sending(session, 'POST', '/v1/invitations/accept', { token });

/** An invitation admits one person, and a person belongs to one tenant. */
const invitations: readonly Race[] = [
  {
    name: 'if two people accept the same invitation at the same time, only one of them joins',
    allowed: firstWins('200', ['404 not_found']),
    open:
      async ({ there }) =>
      async () => {
        const tenant = await makeTenant(there);
        const { token } = await inviteTo(tenant, 'auditor');
        const people = await Promise.all([signInSomebody(there), signInSomebody(there)]);
        const check = async (outcomes: readonly string[]) => {
          expect(await rolesSeenBy(tenant.console)).toEqual(['owner', 'auditor']);
          for (const [index, person] of people.entries()) {
            const { tenant: own } = await meOf(person);
            expect(own.id === tenant.id).toBe(outcomes[index] === '200');
          }
        };
        return { contenders: people.map((person) => accepting(person, token)), check };
      },
  },
  ...[true, false].map(
    (hasTenant): Race => ({
      name: `if a person ${hasTenant ? 'with an empty' : 'without a'} tenant accepts two invitations, the person joins one tenant`,
      allowed: firstWins('200', ['409 already_member']),
      open:
        async ({ there }) =>
        async () => {
          const tenants = await Promise.all([makeTenant(there), makeTenant(there)]);
          const tokens = await Promise.all(tenants.map(async (one) => (await inviteTo(one, 'admin')).token));
          const person = await signInSomebody(there);
          if (hasTenant) await meOf(person);
          const check = async (outcomes: readonly string[]) => {
            const joined = tenants[outcomes.indexOf('200')];
            expect((await meOf(person)).tenant.id).toBe(joined?.id);
            for (const one of tenants) {
              expect(await rolesSeenBy(one.console)).toEqual(one === joined ? ['owner', 'admin'] : ['owner']);
              const live = list(await one.console.send('GET', '/v1/invitations'));
              expect(live).toHaveLength(one === joined ? 0 : 1);
            }
          };
          return { contenders: tokens.map((token) => accepting(person, token)), check };
        },
    }),
  ),
  {
    name: 'if two invited people accept at the same time and the tenant has one place left, one of them joins',
    allowed: firstWins('200', ['409 limit_reached']),
    open:
      async ({ here, there }) =>
      async () => {
        const tenant = await makeTenant(there);
        const tokens = [(await inviteTo(tenant, 'auditor')).token, (await inviteTo(tenant, 'auditor')).token];
        await fillMembers(here, tenant.id, 99);
        const people = await Promise.all(tokens.map(() => signInSomebody(there)));
        const check = async () => {
          expect(await rolesSeenBy(tenant.console)).toHaveLength(100);
          expect(list(await tenant.console.send('GET', '/v1/invitations'))).toHaveLength(1);
        };
        return { contenders: people.map((person, index) => accepting(person, tokens[index] ?? '')), check };
      },
  },
  {
    name: 'if an invitation is accepted and revoked at the same time, exactly one of the two requests succeeds',
    allowed: ['200 | 404 not_found', '404 not_found | 204'],
    open:
      async ({ there }) =>
      async () => {
        const tenant = await makeTenant(there);
        const { id, token } = await inviteTo(tenant, 'auditor');
        const person = await signInSomebody(there);
        const contenders = [accepting(person, token), sending(tenant.console, 'DELETE', `/v1/invitations/${id}`)];
        const check = async ([accepted]: readonly string[]) => {
          expect(await rolesSeenBy(tenant.console)).toEqual(accepted === '200' ? ['owner', 'auditor'] : ['owner']);
          expect(list(await tenant.console.send('GET', '/v1/invitations'))).toEqual([]);
        };
        return { contenders, check };
      },
  },
];

/** Returns a contender that changes a membership and then sends a request by the member to each process. */
function andThen(
  change: (at: Addresses) => Promise<string>,
  next: Contender,
  processes: readonly Addresses[],
): Contender {
  return async (at) => {
    const answered = await change(at);
    return `${answered}, then ${(await Promise.all(processes.map(next))).join(' and ')}`;
  };
}

/** The error codes in the audit log after a request to invite somebody, by the status of the answer. */
const RECORDED: Readonly<Record<string, readonly unknown[]>> = {
  201: [null],
  [LOWERED]: ['role_not_allowed'],
  [GONE]: [],
};

/** Once a change of a membership has been answered, no process applies the old membership. */
const freshness: readonly Race[] = [
  { change: 'is removed', method: 'DELETE', body: undefined, done: '204', refused: GONE },
  { change: 'becomes an auditor', method: 'PATCH', body: { role: 'auditor' }, done: '200', refused: LOWERED },
].flatMap(({ change, method, body, done, refused }): Race[] => [
  {
    name: `after a member ${change}, no process accepts changes by that member`,
    allowed: each([`${done}, then ${refused} and ${refused}`], ['201', refused], ['200', refused]),
    open:
      async ({ here, there }) =>
      async () => {
        const tenant = await makeTenant(there);
        const ann = await join(tenant, 'admin');
        const create = sending(ann.session, 'POST', '/v1/containers', { name: 'made meanwhile' });
        const rename = sending(ann.session, 'PATCH', '/v1/tenant', { name: 'Acme' });
        const end = sending(tenant.console, method, pathOf(ann), body);
        const check = async ([, created, renamed]: readonly string[]) => {
          const containers = list(await tenant.console.send('GET', '/v1/containers'));
          expect(containers).toHaveLength(created === '201' ? 2 : 1);
          expect((await meOf(tenant.console)).tenant.name).toBe(renamed === '200' ? 'Acme' : null);
        };
        return { contenders: [andThen(end, rename, [here, there]), create, rename], check };
      },
  },
  {
    name: `after an owner ${change}, no invitation by that owner remains`,
    allowed: each([done], ['201', refused]),
    open:
      async ({ there }) =>
      async () => {
        const { tenant, owners } = await withTwoOwners(there);
        const [, ann] = owners;
        const contenders = [
          sending(tenant.console, method, pathOf(ann), body),
          sending(ann.session, 'POST', '/v1/invitations', { role: 'owner' }),
        ];
        const check = async ([, invited]: readonly string[]) => {
          expect(list(await tenant.console.send('GET', '/v1/invitations'))).toEqual([]);
          const rows = (await eventsOfTenant(tenant.console)).filter(
            ({ operation, user_id }) => operation === 'invite_member' && user_id === ann.id,
          );
          expect(rows.map(({ error_code }) => error_code)).toEqual(RECORDED[invited ?? '']);
        };
        return { contenders, check };
      },
  },
]);

export const memberRaces: readonly Race[] = [...lastOwner, ...invitations, ...freshness];
