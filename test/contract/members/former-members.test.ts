import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { eventsOfTenant } from '../../support/audit.ts';
import { type GoodRequest, goodRequests, methodOf, sendGood } from '../../support/cases.ts';
import { outcome } from '../../support/client.ts';
import { openInProcess, serveInProcess } from '../../support/in-process.ts';
import { ROUTES } from '../../support/route-table.ts';
import { inviteTo, join, meOf, type Person, signInSomebody } from '../../support/team.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const { services } = openInProcess(stack, allConfigured(stack));

/** Holds a request at one of its steps until `release` is called. */
class Gate {
  #reached = Promise.withResolvers<void>();
  #released = Promise.withResolvers<void>();

  async pass<Value>(value: Value): Promise<Value> {
    this.#reached.resolve();
    await this.#released.promise;
    return value;
  }

  /** Sends a request, runs `meanwhile` while the request is held, and returns the request's answer. */
  async during<Answer>(send: () => Promise<Answer>, meanwhile: () => Promise<void>): Promise<Answer> {
    this.#reached = Promise.withResolvers();
    this.#released = Promise.withResolvers();
    const answer = send();
    await this.#reached.promise;
    await meanwhile();
    this.#released.resolve();
    return answer;
  }
}

/** A process in the test, in which a request can be held right after the policy has allowed it. */
const decided = new Gate();
const policy = {
  allows: async (...asked: Parameters<typeof services.policy.allows>) =>
    decided.pass(await services.policy.allows(...asked)),
  ping: () => services.policy.ping(),
};
const held = { ...services, policy, log: { write: () => undefined } };
let server: Awaited<ReturnType<typeof serveInProcess>>;
beforeAll(async () => {
  server = await serveInProcess(held, stack);
});
afterAll(() => server[Symbol.asyncDispose]());

/** The routes on which a role decides. Those that only take something away may still end. */
const CHANGES = ROUTES.filter(
  ({ call, credential }) => ['console', 'either'].includes(credential) && methodOf(call) !== 'GET',
);
const MAY_END = /^DELETE|\/(?:destroy|freeze)$/;
const UNRECORDED = /\/billing\//;

const LISTS = ['/v1/keys', '/v1/api-keys', '/v1/containers', '/v1/firewalls', '/v1/invitations', '/v1/billing'];

async function contentsOf({ console }: Tenant): Promise<unknown[]> {
  return Promise.all(LISTS.map(async (path) => (await console.send('GET', path)).body));
}

const heldClient = ({ session }: Pick<Person, 'session'>) => new Client(server, session.token);

describe.each([
  ['is removed', 'DELETE', undefined, '403 no_tenant'],
  ['becomes an auditor', 'PATCH', { role: 'auditor' }, '403 role_not_allowed'],
])('an owner who %s while a request of theirs runs', (_, method, body, refusal) => {
  let tenant: Tenant;
  let requests: Readonly<Record<string, GoodRequest>>;
  beforeAll(async () => {
    tenant = await makeTenant(stack);
    requests = await goodRequests(tenant);
  });

  test.each(CHANGES)('creates and widens nothing, but may take something away: $call', async ({ call, good }) => {
    const ann = await join(tenant, 'owner');
    const before = await contentsOf(tenant);
    const end = async () => {
      expect((await tenant.console.send(method, `/v1/members/${ann.id}`, body)).status).toBeLessThan(300);
    };
    const answer = await decided.during(() => sendGood(heldClient(ann), call, requests), end);
    if (MAY_END.test(call)) return expect(outcome(answer)).toBe(good);
    expect(outcome(answer)).toBe(refusal);
    expect(await contentsOf(tenant)).toEqual(before);
    const rows = (await eventsOfTenant(tenant.console)).filter(({ user_id }) => user_id === ann.id);
    const codes = rows.map(({ error_code }) => error_code).filter((code) => code !== null);
    expect(codes).toEqual(body === undefined || UNRECORDED.test(call) ? [] : ['role_not_allowed']);
  });
});

test('if the creator of a key is removed while the KMS makes it, no key is left and its name is free at once', async () => {
  const tenant = await makeTenant(stack);
  const ann = await join(tenant, 'admin');
  const made = new Gate();
  const create = services.kms.createCryptoKey.bind(services.kms);
  vi.spyOn(services.kms, 'createCryptoKey').mockImplementation(async (...asked) => made.pass(await create(...asked)));
  const key = { name: randomUUID(), tier: 'software' };
  const remove = async () => {
    expect(outcome(await tenant.console.send('DELETE', `/v1/members/${ann.id}`))).toBe('204');
  };
  const sending = () =>
    decided.during(
      () => heldClient(ann).send('POST', '/v1/keys', key),
      async () => undefined,
    );
  expect(outcome(await made.during(sending, remove))).toBe('403 no_tenant');
  expect((await tenant.console.send('GET', '/v1/keys')).body).toEqual([]);
  expect(outcome(await tenant.console.send('POST', '/v1/keys', key))).toBe('201');
});

const withInvitation = async () => {
  const session = await signInSomebody(stack);
  await meOf(session);
  const { token } = await inviteTo(await makeTenant(stack), 'auditor');
  const accept = async () => outcome(await session.send('POST', '/v1/invitations/accept', { token }));
  const checkOut = () => heldClient({ session }).send('POST', '/v1/billing/checkout');
  return { accept, checkOut };
};

test('nobody can leave their tenant while its checkout is under way', async () => {
  const { accept, checkOut } = await withInvitation();
  const made = new Gate();
  const make = services.payments.makeCustomer.bind(services.payments);
  vi.spyOn(services.payments, 'makeCustomer').mockImplementation(async (...asked) => made.pass(await make(...asked)));
  const sending = () => decided.during(checkOut, async () => undefined);
  const answer = await made.during(sending, async () => expect(await accept()).toBe('409 already_member'));
  expect(outcome(answer)).toBe('200');
});

test('a checkout that finds its tenant left gets no_tenant', async () => {
  const { accept, checkOut } = await withInvitation();
  const answer = await decided.during(checkOut, async () => expect(await accept()).toBe('200'));
  expect(outcome(answer)).toBe('403 no_tenant');
});
