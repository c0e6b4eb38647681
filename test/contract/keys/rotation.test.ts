import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { MINUTE_US } from '../../../shared/base/clock.ts';
import { destroyDueKeys } from '../../../shared/lifecycle/destroy-due-keys.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { readDocument } from '../../support/firestore.ts';
import { loadKey, openInProcess } from '../../support/in-process.ts';
import { kmsPrimary, kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { encrypt, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock } from '../../support/steer.ts';
import { ALL_TIERS, type Client, makeTenant, type Tier } from '../../support/tenant.ts';
import { textOf, transit } from '../../support/transit.ts';
import { lineOf, setOps } from '../../support/usage.ts';

const stack = inject('stack');
const own = ownStack();

const preview = z.strictObject({
  next_version: z.int(),
  keeps: z.array(z.int()),
  retires: z.array(z.int()),
  recent: z.strictObject({
    since: z.iso.date(),
    ops: z.int(),
    older_version_ops: z.int(),
    last_older_use: z.iso.date().nullable(),
  }),
});

const pathOf = (id: string) => `/v1/keys/${id}/rotation`;
const previewOf = async (client: Client, id: string) => read(preview, await client.send('GET', pathOf(id)));

const TODAY = '2027-03-15';
const SINCE = '2027-02-14';

/** Makes a tenant on the own stack, at noon of a fixed day. */
async function makeTenantToday() {
  await setClock(own, `${TODAY}T12:00:00Z`);
  return makeTenant(own);
}

type Numbers = readonly number[];
test.each<[Tier, keeps: Numbers, retires: Numbers, keepsLater: Numbers, retiresLater: Numbers]>([
  ['free', [], [1], [], [3]],
  ['wrapped', [], [1], [], [3]],
  ['software', [1], [], [2, 3], [1]],
  ['hsm', [1], [], [3], [2]],
])(
  'the preview of a rotation of a %s key shows that the next rotation keeps %j and retires %j; after two rotations, it keeps %j and retires %j',
  async (tier, keeps, retires, keepsLater, retiresLater) => {
    const tenant = await makeTenantToday();
    const id = await tenant.createKey(tier);
    const recent = { since: SINCE, ops: 0, older_version_ops: 0, last_older_use: null };
    expect(await previewOf(tenant.api, id)).toEqual({ next_version: 2, keeps, retires, recent });
    await rotate(tenant.api, id, 2);
    const later = { next_version: 4, keeps: keepsLater, retires: retiresLater, recent };
    expect(await previewOf(tenant.console, id)).toEqual(later);
  },
);

test.each(ALL_TIERS)(
  'the rotation preview of a %s key is neither recorded nor counted, and older_version_ops excludes operations with the primary version',
  async (tier) => {
    const { api, createKey } = await makeTenant(stack);
    const id = await createKey(tier);
    await rotate(api, id);
    const ciphertext = await encrypt(api, id, randomBase64(32));
    for (const operation of ['decrypt', 'rewrap'] as const) await operate(api, id, operation, { ciphertext });
    expect(outcome(await operate(api, id, 'unwrap', { wrapped: ciphertext }))).toBe('200');
    const events = await eventsOfKey(api, id);
    const { recent } = await previewOf(api, id);
    expect(recent).toMatchObject({ ops: 4, older_version_ops: 0, last_older_use: null });
    expect(await previewOf(api, id)).toMatchObject({ recent });
    expect(await eventsOfKey(api, id)).toEqual(events);
    expect((await lineOf(api, id)).ops).toBe(4);
  },
);

describe.each(['software', 'hsm'] as const)('after a rotation of a %s key', (tier) => {
  test('older_version_ops counts operations on ciphertext of older versions, including operations through Transit', async () => {
    const { api, createKey } = await makeTenantToday();
    const name = randomUUID();
    const id = await createKey(tier, name);
    const dek = randomBase64(32);
    const ciphertext = await encrypt(api, id, dek);
    const stored = textOf(await transit(api, `POST /encrypt/${name}`, { plaintext: dek }), 'ciphertext');
    await rotate(api, id);
    expect(await previewOf(api, id)).toMatchObject({ recent: { ops: 2, older_version_ops: 0, last_older_use: null } });
    expect(outcome(await operate(api, id, 'decrypt', { ciphertext }))).toBe('200');
    expect(outcome(await operate(api, id, 'unwrap', { wrapped: ciphertext }))).toBe('200');
    const rewrapped = text(await operate(api, id, 'rewrap', { ciphertext }), 'ciphertext');
    const batch_input = [{ ciphertext: stored }, { ciphertext: stored }];
    expect(outcome(await transit(api, `POST /decrypt/${name}`, { batch_input }))).toBe('200');
    const recent = { ops: 7, older_version_ops: 5, last_older_use: TODAY };
    expect(await previewOf(api, id)).toMatchObject({ recent });
    expect(outcome(await operate(api, id, 'decrypt', { ciphertext: rewrapped }))).toBe('200');
    await operate(api, id, 'decrypt', { ciphertext: 'AAAA' });
    expect(await previewOf(api, id)).toMatchObject({ recent: { ...recent, ops: 8 } });
  });

  test('after a rotation, the KMS has the same primary version as the service', async () => {
    const { api, createKey } = await makeTenant(stack);
    const id = await createKey(tier);
    await rotate(api, id, 3);
    expect(await kmsPrimary(stack, id)).toBe(4);
  });
});

test('setting the operation count with the control API does not change older_version_ops of the same day', async () => {
  const { api, createKey } = await makeTenantToday();
  const id = await createKey('software');
  const ciphertext = await encrypt(api, id, 'AAAA');
  await rotate(api, id);
  await operate(api, id, 'decrypt', { ciphertext });
  await setOps(api, id, TODAY.slice(0, 7), 40);
  const recent = { ops: 40, older_version_ops: 1, last_older_use: TODAY };
  expect(await previewOf(api, id)).toMatchObject({ recent });
});

test('a rotation succeeds even if the KMS fails to set the primary version, and destroy-due-keys sets this version after ten minutes', async () => {
  const { services, clock, logged } = openInProcess(own);
  const tenant = await makeTenant(own);
  const id = await tenant.createKey('software');
  const load = () => loadKey(services, id);
  const key = await load();
  vi.spyOn(services.kms, 'makePrimary').mockRejectedValueOnce(new Error('refused'));
  const rotated = await rotateKey(services, { requestId: null, tenantId: key.tenant_id }, key);
  expect(rotated).toMatchObject({ primary_version: 2 });
  expect(await load()).toMatchObject({ primary_version: 2, rotations: 1 });
  expect(logged.map(({ message }) => message)).toContain('finishing a rotation failed; destroy-due-keys retries it');
  expect(await kmsPrimary(own, id)).toBe(1);
  clock.move(11 * MINUTE_US);
  expect(await destroyDueKeys(services)).toMatchObject({ finished: 1, failed: 0 });
  expect(await kmsPrimary(own, id)).toBe(2);
  expect(await load()).toMatchObject({ primary_version: 2, rotations: 0, unfinished_since: null });
  expect((await eventsOfKey(tenant.api, id)).filter(({ operation }) => operation === 'rotate_key')).toHaveLength(1);
});

test('after 20 rotations, a software key lists its three enabled versions and the ten versions before them, and its document stays small', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const path = `/v1/keys/${id}`;
  const bytes = async () => Buffer.byteLength(JSON.stringify(await readDocument(stack, `keys/${id}`)));
  await rotate(tenant.api, id, 12);
  const before = await bytes();
  await rotate(tenant.api, id, 8);
  // The document may grow by a few bytes, because version numbers from 10 on have two digits.
  expect(await bytes()).toBeLessThan(before + 50);
  const key = read(keyObject, await tenant.api.send('GET', path));
  expect(key.primary_version).toBe(21);
  expect(key.versions.map(({ version, state }) => [version, state])).toEqual(
    Array.from({ length: 13 }, (_, at) => [9 + at, at < 10 ? 'destroy_scheduled' : 'enabled']),
  );
  await tenant.console.send('POST', `${path}/destroy`);
  expect(await kmsVersionStates(stack, id)).toEqual(Array(21).fill('DESTROY_SCHEDULED'));
});

test.concurrent.for([
  ['free', 1],
  ['wrapped', 1],
  ['software', 3],
  ['hsm', 2],
] as const)(
  'rotation of a %s key makes the new version primary and keeps at most this number of versions enabled: %d',
  async ([tier, retained]) => {
    const tenant = await makeTenant(stack);
    const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier }));
    const path = `/v1/keys/${created.id}`;
    for (let number = 1; number <= 4; number++) {
      const answer = await tenant[number % 2 === 0 ? 'console' : 'api'].send('POST', `${path}/rotate`);
      const key = read(keyObject, answer);
      const versions = Array.from({ length: number + 1 }, (_, at) => ({
        version: at + 1,
        state: at + 1 > number + 1 - retained ? 'enabled' : 'destroy_scheduled',
        created_at: key.versions[at]?.created_at,
      }));
      expect(key).toEqual({ ...created, primary_version: number + 1, versions });
      expect(await tenant.api.send('GET', path)).toMatchObject({ status: 200, body: key });
    }
    const rotations = inWords(await eventsOfKey(tenant.api, created.id)).filter((row) => row === 'rotate_key');
    expect(rotations).toHaveLength(4);
  },
);
