import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import type { Caller } from '../../shared/auth/caller.ts';
import { makeId, parseId } from '../../shared/base/ids.ts';
import type { Env } from '../../shared/env.ts';
import { ApiError } from '../../shared/errors.ts';
import { requestDeletion, restoreKey } from '../../shared/keys/deletion.ts';
import { destroyNow } from '../../shared/keys/destroy.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { renameKey } from '../../shared/keys/rename.ts';
import { rotateKey } from '../../shared/keys/rotate.ts';
import { outcome } from '../support/client.ts';
import { makeProcess } from '../support/in-process.ts';
import { keyObject, read } from '../support/objects.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');
const BUSY = '503 unavailable';

test('of eighty rotations of one free key at once each is done or 503, and other tenants’ changes meanwhile all succeed', async () => {
  const [greedy, modest] = [await makeTenant(stack), await makeTenant(stack)];
  const path = `/v1/keys/${await greedy.createKey('free')}`;
  const other = `/v1/keys/${await modest.createKey('wrapped')}`;
  const rotations = Array.from({ length: 80 }, () => greedy.api.send('POST', `${path}/rotate`));
  const meanwhile = ['software', 'wrapped', 'hsm'].map((tier) =>
    modest.api.send('POST', '/v1/keys', { name: randomUUID(), tier }),
  );
  expect((await Promise.all(meanwhile)).map(outcome)).toEqual(['201', '201', '201']);
  for (let time = 1; time <= 3; time++) {
    expect(outcome(await modest.api.send('POST', `${other}/rotate`))).toBe('200');
  }
  const outcomes = (await Promise.all(rotations)).map(outcome);
  expect(outcomes.filter((one) => one !== '200' && one !== BUSY)).toEqual([]);
  expect(outcomes).toContain(BUSY);
  const done = outcomes.filter((one) => one === '200').length;
  expect(read(keyObject, await greedy.api.send('GET', path)).primary_version).toBe(1 + done);
});

describe('a change of a key that already seventeen others are made of or wait for', () => {
  const changes: readonly [string, (env: Env, caller: Caller, key: Key) => Promise<unknown>][] = [
    ['rotation', (env, caller, key) => rotateKey(env, { requestId: 'r', caller }, key)],
    ['renaming', (env, caller, key) => renameKey(env, { requestId: 'r', caller }, key, randomUUID())],
    ['deletion', (env, caller, key) => requestDeletion(env, { requestId: 'r', caller }, key)],
    ['restoration', (env, caller, key) => restoreKey(env, { requestId: 'r', caller }, key)],
    ['destruction', (env, caller, key) => destroyNow(env, { requestId: 'r', caller }, key)],
  ];

  test.each(changes)('%s: is refused', async (_, change) => {
    const { env } = makeProcess(stack);
    const tenant = await makeTenant(stack);
    const key = await env.store.find(KEYS, parseId(await tenant.createKey('wrapped')) ?? '');
    if (key === undefined) throw new Error('there is no such key');
    const caller: Caller = {
      kind: 'session',
      tenantId: key.tenant_id,
      userId: makeId(),
      person: { subjectId: 's', email: null, name: null },
    };
    const begun = Array.from({ length: 17 }, () => change(env, caller, key));
    const refused = { code: 'unavailable', message: 'too many changes of this key in flight' };
    await expect(change(env, caller, key)).rejects.toMatchObject(refused);
    // Those before it come to their end, each after the last: as done, or as the one before left the key.
    for (const { status, ...end } of await Promise.allSettled(begun)) {
      if (status === 'rejected' && 'reason' in end) expect(end.reason).toBeInstanceOf(ApiError);
    }
  });
});
