import { describe, expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { keyAnswer, viewKey } from '../../../shared/keys/view.ts';
import { asPending } from '../../../shared/lifecycle/delete-key.ts';
import { aKey, CREATED } from './a-key.ts';

describe('the key object', () => {
  test('a key is shown with exactly the documented fields, with null for unset fields and with times to the microsecond', () => {
    const key = aKey({ created_at: makeInstant(CREATED + 1) });
    expect(viewKey(key)).toEqual({
      id: key.id,
      name: 'orders',
      tier: 'software',
      container_id: key.container_id,
      state: 'active',
      created_at: '2026-10-15T12:00:00.000001Z',
      delete_requested_at: null,
      destroy_after: null,
      frozen_at: null,
      primary_version: 1,
      versions: [{ version: 1, state: 'enabled', created_at: '2026-10-15T12:00:00.000000Z' }],
    });
  });

  test('a key pending deletion is shown with the time of the request and the time of its destruction', () => {
    const pending = asPending(aKey(), CREATED, makeInstant(CREATED + 7 * DAY_US));
    expect(viewKey(pending)).toMatchObject({
      state: 'pending_deletion',
      delete_requested_at: '2026-10-15T12:00:00.000000Z',
      destroy_after: '2026-10-22T12:00:00.000000Z',
    });
  });

  test.each([
    ['enabled', 'enabled'],
    ['retiring', 'destroy_scheduled'],
    ['destroy_scheduled', 'destroy_scheduled'],
  ] as const)('a version in the state %s is shown as %s', (state, shown) => {
    const key = aKey();
    const versions = key.versions.map((version) => ({ ...version, state }));
    expect(viewKey({ ...key, versions }).versions).toEqual([expect.objectContaining({ state: shown })]);
  });

  test('the key object matches the documented schema and does not reveal the names of CryptoKeys', () => {
    const view = viewKey(aKey());
    expect(keyAnswer.parse(view)).toEqual(view);
    expect(JSON.stringify(view)).not.toContain('cryptoKeys');
  });
});
