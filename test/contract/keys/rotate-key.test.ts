import { describe, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { readDocument } from '../../support/firestore.ts';
import { kmsVersionStates } from '../../support/kms.ts';
import { keyObject, read } from '../../support/objects.ts';
import { rotate } from '../../support/operations.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

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

describe.concurrent('rotation', () => {
  test.each([
    ['free', 1],
    ['wrapped', 1],
    ['software', 3],
    ['hsm', 2],
  ] as const)(
    'rotation of a %s key makes the new version primary and keeps at most this number of versions enabled: %d',
    async (tier, retained) => {
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
});
