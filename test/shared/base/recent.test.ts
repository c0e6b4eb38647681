import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recent } from '../../../shared/base/recent.ts';

test('what was noted last is remembered, with its latest value, and no more than the limit', () => {
  const notes = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat()), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), notes, (limit, noted) => {
      const recent = new Recent<number, number>(limit);
      for (const [name, value] of noted) recent.note(name, value);
      const latest = [...new Set(noted.toReversed().map(([name]) => name))].slice(0, limit);
      for (let name = 0; name < 10; name++) {
        const expected = latest.includes(name) ? noted.findLast(([one]) => one === name)?.[1] : undefined;
        expect(recent.get(name)).toBe(expected);
      }
    }),
  );
});

test('what is forgotten leaves its place to another', () => {
  const recent = new Recent<string, number>(2);
  recent.note('a', 1);
  recent.note('b', 2);
  recent.forget('b');
  recent.note('c', 3);
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([1, undefined, 3]);
});
