import { inject } from 'vitest';
import { EVERY_BIT, KMS_CIPHERTEXTS, ONE_BIT, testMalleability } from './malleability.ts';

const stack = inject('stack');

testMalleability(stack, [['an encrypted byte', 'wrapped']], 'any single bit', EVERY_BIT);
testMalleability(
  stack,
  [['an encrypted byte', 'free'], ['a wrapped data key', 'wrapped'], ...KMS_CIPHERTEXTS],
  'one bit of any byte',
  ONE_BIT,
);
