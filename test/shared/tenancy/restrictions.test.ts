import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../../../shared/operations.ts';
import { parseActions } from '../../../shared/tenancy/restrictions.ts';

describe('the allowed actions', () => {
  test('are ten: six to use or rotate keys, four to manage them', () => {
    expect(ACTIONS).toEqual([
      ...['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap', 'rotate'],
      ...['create', 'rename', 'delete', 'restore'],
    ]);
  });

  test.each(ACTIONS)('may be only %s', (action) => {
    expect(parseActions([action])).toEqual([action]);
  });

  test('may be none, or all', () => {
    expect(parseActions([])).toEqual([]);
    expect(parseActions([...ACTIONS].reverse())).toEqual(ACTIONS);
  });

  test('are kept once each', () => {
    expect(parseActions(['wrap', 'encrypt', 'wrap'])).toEqual(['encrypt', 'wrap']);
  });

  test.each(['', 'Encrypt', 'encrypt ', 'destroy', 'sign', '*', 'toString', '__proto__'])(
    'are refused with the name "%s", alone or among others',
    (name) => {
      const refused = expect.objectContaining({ code: 'invalid_allowed_actions' });
      expect(() => parseActions([name])).toThrow(refused);
      expect(() => parseActions(['encrypt', name, 'wrap'])).toThrow(refused);
    },
  );
});
