import { expect, test } from 'vitest';
import { ADVICE } from '../../shared/error-advice.ts';

test('every code says in whole sentences what it means and what to do', () => {
  const texts = Object.values(ADVICE).flatMap(({ meaning, action }) => [meaning, action]);
  expect(texts.filter((text) => !/^[`A-Z].*\.$/.test(text))).toEqual([]);
});
