import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readCursor, writeCursor } from '../../../functions/reports/cursor.ts';
import type { Window } from '../../../shared/audit/window.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';

const tenantId = makeId<TenantId>();
const window: Window = {
  since: makeInstant(1),
  until: makeInstant(9),
  filters: { operation: 'wrap', result: 'error', key_id: makeId(), api_key_id: makeId(), user_id: makeId() },
};
const position = { at: makeInstant(5), id: makeId<never>() };
const cursor = writeCursor(tenantId, window, position);

describe('a cursor', () => {
  test('reading a cursor returns the position that was written', () => {
    expect(readCursor(tenantId, window, cursor)).toEqual(position);
    const open: Window = { since: undefined, until: undefined, filters: {} };
    expect(readCursor(tenantId, open, writeCursor(tenantId, open, position))).toEqual(position);
  });

  test('a cursor is invalid for another tenant, other time bounds or other filters', () => {
    expect(readCursor(makeId(), window, cursor)).toBeUndefined();
    const { filters } = window;
    const others: Window[] = [
      { ...window, since: undefined },
      { ...window, until: makeInstant(10) },
      { ...window, since: window.until, until: window.since },
      { ...window, filters: {} },
      ...Object.keys(filters).map((name) => ({ ...window, filters: { ...filters, [name]: undefined } })),
      { ...window, filters: { ...filters, operation: 'unwrap' } },
      { ...window, filters: { ...filters, key_id: makeId() } },
    ];
    for (const other of others) expect(readCursor(tenantId, other, cursor)).toBeUndefined();
  });

  test('a cursor is invalid if any of its characters is changed, added or removed', () => {
    const changed = [...cursor].map(
      (char, at) => `${cursor.slice(0, at)}${char === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
    );
    for (const text of [
      ...changed,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      '',
    ]) {
      expect(readCursor(tenantId, window, text), text).toBeUndefined();
    }
    expect(readCursor(tenantId, window, randomBytes(40).toString('base64url'))).toBeUndefined();
  });
});
