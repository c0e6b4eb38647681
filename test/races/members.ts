import { expect } from 'vitest';
import { eventsOfTenant } from '../support/audit.ts';
import { type Addresses, list, outcome } from '../support/client.ts';
import { fillMembers, inviteTo, join, meOf, type Person, signInSomebody } from '../support/team.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';
import { combinations, type Race, type RaceRequest, sending } from './race.ts';

const NO_TENANT = '403 no_tenant';
const ROLE_REFUSED = '403 role_not_allowed';
const LAST_OWNER = '409 last_owner';

/**
 * Returns the allowed outcomes of two requests that the service may process in either order: the earlier request gets
 * `first`, and the later request gets any of `others`.
 */
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

/** What two owners do to each other at the same time. `rolesAfter` are the roles of the members afterwards. */
const AGAINST_EACH_OTHER = [
  {
    ...{ action: 'remove each other', method: 'DELETE', body: undefined, success: '204' },
    ...{ refused: [LAST_OWNER, NO_TENANT], rolesAfter: ['owner'] },
  },
  {
    ...{ action: 'lower each other’s role', method: 'PATCH', body: { role: 'auditor' }, success: '200' },
    ...{ refused: [LAST_OWNER, ROLE_REFUSED], rolesAfter: ['auditor', 'owner'] },
  },
] as const;

/** Races in which the owners leave, or remove or demote each other. Afterwards, the tenant must still have an owner. */
const lastOwner: readonly Race[] = [
  ...AGAINST_EACH_OTHER.map(
    ({ action, method, body, success, refused, rolesAfter }): Race => ({
      name: `if the only two owners ${action} at the same time, one of them stays owner`,
      allowed: firstWins(success, refused),
      round: async ({ secondProcess }) => {
        const { owners } = await withTwoOwners(secondProcess);
        const [one, other] = owners;
        const requests = [
          sending(one.session, method, pathOf(other), body),
          sending(other.session, method, pathOf(one), body),
        ];
        const check = async (outcomes: readonly string[]) => {
          const winner = outcomes[0] === success ? one : other;
          expect((await rolesSeenBy(winner.session)).sort()).toEqual(rolesAfter);
          expect((await meOf(winner.session)).role).toBe('owner');
        };
        return { requests, check };
      },
    }),
  ),
  {
    name: 'if the only two owners leave at the same time, one of them is refused and stays owner',
    allowed: firstWins('204', [LAST_OWNER]),
    round: async ({ secondProcess }) => {
      const { tenant, owners } = await withTwoOwners(secondProcess);
      const requests = owners.map((owner) => sending(owner.session, 'DELETE', pathOf(owner)));
      const check = async ([first]: readonly string[]) => {
        const [gone, stayed] = first === '204' ? owners : owners.toReversed();
        expect(await rolesSeenBy(stayed?.session ?? tenant.console)).toEqual(['owner']);
        expect(outcome(await (gone?.session ?? tenant.console).send('GET', '/v1/members'))).toBe(NO_TENANT);
      };
      return { requests, check };
    },
  },
];

const accepting = (session: Client, token: string) => sending(session, 'POST', '/v1/invitations/accept', { token });

/** An invitation admits one person, and a person belongs to one tenant. */
const invitations: readonly Race[] = [
  {
    name: 'if two people accept the same invitation at the same time, only one of them joins',
    allowed: firstWins('200', ['404 not_found']),
    round: async ({ secondProcess }) => {
      const tenant = await makeTenant(secondProcess);
      const { token } = await inviteTo(tenant, 'auditor');
      const people = await Promise.all([signInSomebody(secondProcess), signInSomebody(secondProcess)]);
      const check = async (outcomes: readonly string[]) => {
        expect(await rolesSeenBy(tenant.console)).toEqual(['owner', 'auditor']);
        for (const [index, person] of people.entries()) {
          const { tenant: own } = await meOf(person);
          expect(own.id === tenant.id).toBe(outcomes[index] === '200');
        }
      };
      return { requests: people.map((person) => accepting(person, token)), check };
    },
  },
  ...[true, false].map(
    (hasTenant): Race => ({
      name: `if a person ${hasTenant ? 'with an empty' : 'without a'} tenant accepts two invitations at the same time, the person joins one tenant`,
      allowed: firstWins('200', ['409 already_member']),
      round: async ({ secondProcess }) => {
        const tenants = await Promise.all([makeTenant(secondProcess), makeTenant(secondProcess)]);
        const tokens = await Promise.all(tenants.map(async (one) => (await inviteTo(one, 'admin')).token));
        const person = await signInSomebody(secondProcess);
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
        return { requests: tokens.map((token) => accepting(person, token)), check };
      },
    }),
  ),
  {
    name: 'if two invited people accept at the same time and the tenant can have one more member, one of them joins',
    allowed: firstWins('200', ['409 limit_reached']),
    round: async ({ stackProcess, secondProcess }) => {
      const tenant = await makeTenant(secondProcess);
      const tokens = [(await inviteTo(tenant, 'auditor')).token, (await inviteTo(tenant, 'auditor')).token];
      await fillMembers(stackProcess, tenant.id, 99);
      const people = await Promise.all(tokens.map(() => signInSomebody(secondProcess)));
      const check = async () => {
        expect(await rolesSeenBy(tenant.console)).toHaveLength(100);
        expect(list(await tenant.console.send('GET', '/v1/invitations'))).toHaveLength(1);
      };
      return { requests: people.map((person, index) => accepting(person, tokens[index] ?? '')), check };
    },
  },
  {
    name: 'if an invitation is accepted and revoked at the same time, exactly one of the two requests succeeds',
    allowed: ['200 | 404 not_found', '404 not_found | 204'],
    round: async ({ secondProcess }) => {
      const tenant = await makeTenant(secondProcess);
      const { id, token } = await inviteTo(tenant, 'auditor');
      const person = await signInSomebody(secondProcess);
      const requests = [accepting(person, token), sending(tenant.console, 'DELETE', `/v1/invitations/${id}`)];
      const check = async ([accepted]: readonly string[]) => {
        expect(await rolesSeenBy(tenant.console)).toEqual(accepted === '200' ? ['owner', 'auditor'] : ['owner']);
        expect(list(await tenant.console.send('GET', '/v1/invitations'))).toEqual([]);
      };
      return { requests, check };
    },
  },
];

/**
 * Returns a request that changes a membership and, once the change is answered, sends the request `next` to each
 * process.
 */
function andThen(
  change: (at: Addresses) => Promise<string>,
  next: RaceRequest,
  processes: readonly Addresses[],
): RaceRequest {
  return async (at) => {
    const answered = await change(at);
    return `${answered}, then ${(await Promise.all(processes.map(next))).join(' and ')}`;
  };
}

/** For each outcome of a request that invites somebody, the error codes that the audit log records for the request. */
const RECORDED: Readonly<Record<string, readonly unknown[]>> = {
  201: [null],
  [ROLE_REFUSED]: ['role_not_allowed'],
  [NO_TENANT]: [],
};

/** Once a change of a membership has been answered, no process applies the old membership. */
const freshness: readonly Race[] = [
  { change: 'is removed', method: 'DELETE', body: undefined, success: '204', refused: NO_TENANT },
  { change: 'becomes an auditor', method: 'PATCH', body: { role: 'auditor' }, success: '200', refused: ROLE_REFUSED },
].flatMap(({ change, method, body, success, refused }): Race[] => [
  {
    name: `after a member ${change}, no process accepts changes by that member`,
    allowed: combinations([`${success}, then ${refused} and ${refused}`], ['201', refused], ['200', refused]),
    round: async ({ stackProcess, secondProcess }) => {
      const tenant = await makeTenant(secondProcess);
      const ann = await join(tenant, 'admin');
      const create = sending(ann.session, 'POST', '/v1/containers', { name: 'made meanwhile' });
      const rename = sending(ann.session, 'PATCH', '/v1/tenant', { name: 'Acme' });
      const end = sending(tenant.console, method, pathOf(ann), body);
      const check = async ([, created, renamed]: readonly string[]) => {
        const containers = list(await tenant.console.send('GET', '/v1/containers'));
        expect(containers).toHaveLength(created === '201' ? 2 : 1);
        expect((await meOf(tenant.console)).tenant.name).toBe(renamed === '200' ? 'Acme' : null);
      };
      return { requests: [andThen(end, rename, [stackProcess, secondProcess]), create, rename], check };
    },
  },
  {
    name: `after an owner ${change}, no invitation by that owner remains`,
    allowed: combinations([success], ['201', refused]),
    round: async ({ secondProcess }) => {
      const { tenant, owners } = await withTwoOwners(secondProcess);
      const [, ann] = owners;
      const requests = [
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
      return { requests, check };
    },
  },
]);

export const memberRaces: readonly Race[] = [...lastOwner, ...invitations, ...freshness];
