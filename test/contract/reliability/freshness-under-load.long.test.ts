import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Answer, outcome } from '../../support/client.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { join, type Role } from '../../support/team.ts';
import { Client, makeFirewall, makeTenant, type Tenant } from '../../support/tenant.ts';

const CALLERS = 32;
/** At least this number of requests are answered before the change is sent, and again after it is answered. */
const REQUESTS = 200;

const stack = inject('stack');
/** The process under load, without a rate limit. The changes go to another process. */
let service: SecondService;
let tenant: Tenant;
let keyId: string;

beforeAll(async () => {
  service = await startSecondService(stack, signInSettings(stack));
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('wrapped');
});
afterAll(() => service.stop());

/** Makes a change under load. `worked`: requests succeeded before. `after`: outcomes of those sent after its answer. */
async function loadAround(send: () => Promise<Answer>, change: () => Promise<Answer>) {
  let phase: 'before' | 'during' | 'after' = 'before';
  const outcomes = { before: [] as string[], during: [] as string[], after: [] as string[] };
  const enough = Promise.withResolvers<void>();
  const callers = Array.from({ length: CALLERS }, async () => {
    while (outcomes.after.length < REQUESTS) {
      const sentIn = phase;
      outcomes[sentIn].push(outcome(await send()));
      if (outcomes.before.length >= REQUESTS) enough.resolve();
    }
  });
  await enough.promise;
  phase = 'during';
  const answer = await change();
  phase = 'after';
  await Promise.all(callers);
  return { answer: outcome(answer), worked: outcomes.before[0] === '200', after: new Set(outcomes.after) };
}

const encryptWith = (client: Client) => {
  const loadClient = new Client(service, client.token);
  return () => loadClient.send('POST', `/v1/keys/${keyId}/encrypt`, { plaintext: 'aGVsbG8=' });
};

test('the revocation of an API key applies to every request sent after the revocation is answered', async () => {
  const { id, client } = await tenant.mint();
  const revoke = () => tenant.console.send('DELETE', `/v1/api-keys/${id}`);
  const seen = await loadAround(encryptWith(client), revoke);
  expect(seen).toEqual({ answer: '204', worked: true, after: new Set(['401 unauthorized']) });
});

test.each([
  ['the removal of an action', { allowed_actions: ['decrypt'] }, '403 action_not_allowed'],
  ['a new key list without the key', { key_ids: 'another key' }, '403 key_not_allowed'],
])(
  '%s applies to every request sent after the change is answered',
  async (_, { allowed_actions, key_ids }: { allowed_actions?: string[]; key_ids?: string }, refusal) => {
    const { id, client } = await tenant.mint();
    const change = key_ids ? { key_ids: [await tenant.createKey('wrapped')] } : { allowed_actions };
    const seen = await loadAround(encryptWith(client), () =>
      tenant.console.send('PATCH', `/v1/api-keys/${id}`, change),
    );
    expect(seen).toEqual({ answer: '200', worked: true, after: new Set([refusal]) });
  },
);

test('a firewall change applies to every request sent after the change is answered', async () => {
  const firewall_id = await makeFirewall(tenant, { allowed_ips: ['127.0.0.1'] });
  const { client } = await tenant.mint({ firewall_id });
  const close = () => tenant.console.send('PATCH', `/v1/firewalls/${firewall_id}`, { allowed_ips: ['192.0.2.1'] });
  const seen = await loadAround(encryptWith(client), close);
  expect(seen).toEqual({ answer: '200', worked: true, after: new Set(['403 ip_not_allowed']) });
});

const renameBy = (session: Client) => {
  const loadClient = new Client(service, session.token);
  return () => loadClient.send('PATCH', '/v1/tenant', { name: 'Acme' });
};

test.each<[string, Role, Role, { worked: boolean; after: string }]>([
  ['a lowered role', 'admin', 'auditor', { worked: true, after: '403 role_not_allowed' }],
  ['a raised role', 'auditor', 'admin', { worked: false, after: '200' }],
])('%s applies to every request sent after the change is answered', async (_, before, role, { worked, after }) => {
  const { id, session } = await join(tenant, before);
  const change = () => tenant.console.send('PATCH', `/v1/members/${id}`, { role });
  expect(await loadAround(renameBy(session), change)).toEqual({ answer: '200', worked, after: new Set([after]) });
});

test('the removal of a member applies to every request sent after the removal is answered', async () => {
  const { id, session } = await join(tenant, 'admin');
  const seen = await loadAround(renameBy(session), () => tenant.console.send('DELETE', `/v1/members/${id}`));
  expect(seen).toEqual({ answer: '204', worked: true, after: new Set(['403 no_tenant']) });
});

test('the deletion of a key applies to every request sent after the deletion is answered', async () => {
  const id = await tenant.createKey('wrapped');
  const { client } = await tenant.mint();
  const loadClient = new Client(service, client.token);
  const encrypt = () => loadClient.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'aGVsbG8=' });
  const seen = await loadAround(encrypt, () => tenant.console.send('DELETE', `/v1/keys/${id}`));
  expect(seen).toEqual({ answer: '200', worked: true, after: new Set(['409 key_pending_deletion']) });
});
