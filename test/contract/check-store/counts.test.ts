import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { CheckOptions } from '../../../operator/checks/check-store.ts';
import { checkClaims } from '../../../operator/checks/claims.ts';
import { checkObjects } from '../../../operator/checks/objects.ts';
import { checkOperations } from '../../../operator/checks/operations.ts';
import type { CheckServices } from '../../../operator/checks/services.ts';
import { type ContainerId, idSchema } from '../../../shared/base/ids.ts';
import { CLAIMS, nameClaim } from '../../../shared/tenancy/claim.ts';
import { list, outcome, text } from '../../support/client.ts';
import { countsOf, setCount } from '../../support/counts.ts';
import { forgetTenants } from '../../support/forget.ts';
import { bodiesFor, encrypt, METERED, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { readClock } from '../../support/steer.ts';
import { withStore } from '../../support/stored.ts';
import { ALL_TIERS, makeContainer, makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf, setOps } from '../../support/usage.ts';
import { backUp, type Checking, findingsAbout, openChecking } from './checking.ts';

const stack = ownStack();

/** Runs only the checks that need neither the KMS nor Stripe. */
const ofStore = async (services: CheckServices, { since }: CheckOptions) => [
  await checkObjects(services),
  await checkClaims(services),
  await checkOperations(services, since),
];

let checking: Checking;
let tenant: Tenant;
let month: string;
beforeAll(async () => {
  month = (await readClock(stack)).slice(0, 7);
  await forgetTenants(stack);
  checking = openChecking(stack, ofStore);
  tenant = await makeTenant(stack);
});

test('check-store reports nothing about a tenant that has used every feature', async () => {
  const container_id = await makeContainer(tenant);
  const firewall = { name: randomUUID(), allowed_ips: ['127.0.0.0/8'] };
  const firewall_id = text(await tenant.console.send('POST', '/v1/firewalls', firewall), 'id');
  await tenant.mint({ firewall_id });
  await tenant.mint({ container_id });
  for (const tier of ALL_TIERS) {
    const key = await tenant.createKey(tier);
    await rotate(tenant.api, key, tier === 'software' ? 4 : 1);
    const bodies = await bodiesFor(tenant.api, key);
    for (const operation of METERED)
      expect(outcome(await operate(tenant.api, key, operation, bodies[operation]))).toBe('200');
    await operate(tenant.api, key, 'decrypt', { ciphertext: randomBase64(40) });
    await tenant.api.send('PATCH', `/v1/keys/${key}`, { name: randomUUID() });
  }
  const [gone, revoked] = [await makeContainer(tenant), (await tenant.mint()).id];
  const removed = text(await tenant.console.send('POST', '/v1/firewalls', { ...firewall, name: 'removed' }), 'id');
  for (const path of [`firewalls/${removed}`, `containers/${gone}`, `api-keys/${revoked}`])
    expect(outcome(await tenant.console.send('DELETE', `/v1/${path}`))).toBe('204');
  const [pending, destroyed] = [await tenant.createKey('hsm'), await tenant.createKey('software')];
  await tenant.api.send('DELETE', `/v1/keys/${pending}`);
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${destroyed}/destroy`))).toBe('204');
  const parts = await openChecking(stack).run({ since: month });
  expect(findingsAbout(parts, tenant)).toEqual([]);
  expect(parts.map(({ title, checked }) => [title, checked])).toEqual([
    ['Keys against the KMS', { 'live keys': 5, 'enabled versions': 8, 'keys being destroyed, not checked': 0 }],
    [
      'CryptoKeys against stored keys',
      { CryptoKeys: expect.any(Number), 'without a stored key, and destroyed': expect.any(Number) },
    ],
    ['Object counts against the objects', { tenants: 1, counts: 6, names: 8, 'tenants being changed, not counted': 0 }],
    ['Name claims against the objects that hold them', { claims: 8 }],
    ['Counts of operations against audit rows', { 'months of keys': 4, operations: 24, rows: 24 }],
    ['Subscriptions against Stripe', { 'tenants with a customer': 1, 'customers at Stripe': expect.any(Number) }],
    ['Months against invoices at Stripe', { 'months of tenants': 1, statements: 0, invoices: 0 }],
  ]);
});

test.each(['keys', 'free_keys', 'api_keys', 'containers', 'firewalls'] as const)(
  'check-store reports a stored count of %s that differs from the number of objects',
  async (counter) => {
    const before = (await countsOf(stack, tenant.id))[counter];
    await setCount(stack, tenant.id, counter, before + 1);
    const findings = findingsAbout(await checking.run(), tenant);
    expect(findings).toMatchObject([{ kind: 'count-differs', about: { counter, stored: before + 1, found: before } }]);
    await setCount(stack, tenant.id, counter, before);
  },
);

test('check-store reports a tenant that has objects but no stored counts', async () => {
  const restore = await backUp(stack, `objectCounts/${tenant.id}`);
  await withStore(stack, (store) => store.doc(`objectCounts/${tenant.id}`).delete());
  expect(new Set(await checking.kindsOf(tenant))).toEqual(new Set(['count-differs']));
  await restore();
});

test('check-store reports a key, a container or a firewall whose name is not reserved', async () => {
  const holders = new Map<string, string>();
  await withStore(stack, async (store) => {
    for (const { id, ref } of (await store.collection('names').get()).docs) {
      const kind = id.split(':')[1] ?? '';
      if (holders.has(kind)) continue;
      holders.set(kind, id);
      await ref.delete();
    }
  });
  expect([...holders.keys()].sort()).toEqual(['container', 'firewall', 'key']);
  const findings = findingsAbout(await checking.run(), tenant);
  expect(findings.map(({ kind }) => kind)).toEqual(Array(3).fill('name-unclaimed'));
  expect(new Set(findings.map(({ about }) => about.claim))).toEqual(new Set(holders.values()));
  await withStore(stack, async (store) => {
    for (const { about } of findings)
      await store.doc(`names/${about.claim}`).set(CLAIMS.encode({ holder: String(about.holder) }));
  });
  expect(await checking.kindsOf(tenant)).toEqual([]);
});

test('check-store reports a reserved name whose object is missing or has a different name', async () => {
  const [container] = list(await tenant.console.send('GET', '/v1/containers'));
  const scope = idSchema<ContainerId>().parse(container?.id);
  const [orphaned, renamed] = [nameClaim('key', scope, randomUUID()), nameClaim('key', scope, randomUUID())];
  const key = await tenant.createKey('wrapped');
  await withStore(stack, async (store) => {
    await store.doc(`names/${orphaned}`).set(CLAIMS.encode({ holder: randomUUID() }));
    await store.doc(`names/${renamed}`).set(CLAIMS.encode({ holder: key }));
  });
  const findings = (await checking.run()).flatMap((part) => part.findings).filter(({ kind }) => kind === 'name-held');
  expect(new Set(findings.map(({ about }) => about.claim))).toEqual(new Set([orphaned, renamed]));
  await withStore(stack, async (store) => {
    for (const claim of [orphaned, renamed]) await store.doc(`names/${claim}`).delete();
  });
});

test.each([
  ['more', 1],
  ['fewer', -1],
])(
  'check-store reports a key and the month if the stored count has %s operations than the audit log of the key',
  async (_, difference) => {
    const key = await tenant.createKey('wrapped');
    for (let n = 0; n < 3; n++) await encrypt(tenant.api, key, randomBase64(8));
    // check-store skips the last minutes, whose audit rows may not be stored yet. The later clock includes the
    // operations above.
    checking.setClock(new Date(Date.now() + 3 * 60_000).toISOString());
    expect(await checking.kindsOf(tenant)).toEqual([]);
    const { ops } = await lineOf(tenant.console, key);
    await setOps(tenant.api, key, month, ops + difference);
    expect(findingsAbout(await checking.run(), tenant)).toMatchObject([
      { kind: 'operations-differ', about: { key_id: key, month, counted: 3 + difference, rows: 3 } },
    ]);
    await setOps(tenant.api, key, month, ops);
  },
);
