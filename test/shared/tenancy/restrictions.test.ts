import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../../../shared/operations.ts';
import { parseActions } from '../../../shared/tenancy/restrictions.ts';

describe('the allowed actions', () => {
  test('an API key can be allowed ten actions: six to use or rotate keys, and four to manage keys', () => {
    expect(ACTIONS).toEqual([
      ...['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap', 'rotate'],
      ...['create', 'rename', 'delete', 'restore'],
    ]);
  });

  test.each(ACTIONS)('an API key may be allowed the action %s and no other action', (action) => {
    expect(parseActions([action])).toEqual([action]);
  });

  test('an API key may be allowed no action or every action', () => {
    expect(parseActions([])).toEqual([]);
    expect(parseActions([...ACTIONS].reverse())).toEqual(ACTIONS);
  });

  test('an action that is listed twice is stored once', () => {
    expect(parseActions(['wrap', 'encrypt', 'wrap'])).toEqual(['encrypt', 'wrap']);
  });

  test.each(['', 'Encrypt', 'encrypt ', 'destroy', 'sign', '*', 'toString', '__proto__'])(
    'the unknown action "%s" is refused, by itself or among known actions',
    (name) => {
      const refused = expect.objectContaining({ code: 'invalid_allowed_actions' });
      expect(() => parseActions([name])).toThrow(refused);
      expect(() => parseActions(['encrypt', name, 'wrap'])).toThrow(refused);
    },
  );
});
