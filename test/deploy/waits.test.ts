import { expect, test } from 'vitest';
import { WAITS } from '../../deploy/waits.ts';
import { sources } from '../sources.ts';

const MADE = /new (?:FairQueue|Rate|Batcher)(?:<[^(]*>)?\(\s*(\w*)/g;

test('the table of what waits has every queue, rate and batcher that the service and the programs of the operator make', () => {
  const names = [...sources].flatMap(([file, text]) =>
    /^(?:shared|functions|operator)\//.test(file) ? [...text.matchAll(MADE)].map(([, name]) => name) : [],
  );
  expect([...new Set(names)].sort()).toEqual(Object.keys(WAITS).sort());
});
