import { inject } from 'vitest';
import { EVERY_BIT, OF_THE_KMS, ONE_BIT, testMalleability } from './malleability.ts';

const stack = inject('stack');

testMalleability(stack, [['an encrypted byte', 'wrapped']], 'any single bit', EVERY_BIT);
testMalleability(
  stack,
  [['an encrypted byte', 'free'], ['a wrapped data key', 'wrapped'], ...OF_THE_KMS],
  'one bit of any byte',
  ONE_BIT,
);
