import { expect, test } from 'vitest';
import { ADVICE } from '../../shared/error-advice.ts';

test('every error code has a meaning and an action in whole sentences', () => {
  const texts = Object.values(ADVICE).flatMap(({ meaning, action }) => [meaning, action]);
  expect(texts.filter((text) => !/^[`A-Z].*\.$/.test(text))).toEqual([]);
});
