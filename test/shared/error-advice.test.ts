import { expect, test } from 'vitest';
import { ADVICE } from '../../shared/error-advice.ts';

test('for every error code, its meaning and the action to take are documented in whole sentences', () => {
  const texts = Object.values(ADVICE).flatMap(({ meaning, action }) => [meaning, action]);
  expect(texts.filter((text) => !/^[`A-Z].*\.$/.test(text))).toEqual([]);
});
