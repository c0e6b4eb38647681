import { inject } from 'vitest';
import { EVERY_BIT, holdMalleability, OF_THE_KMS, ONE_BIT } from './malleability.ts';

const stack = inject('stack');
const OF_THE_SERVICE = [
  ['an encrypted byte', 'free'],
  ['an encrypted byte', 'wrapped'],
  ['a wrapped data key', 'wrapped'],
] as const;

holdMalleability(stack, OF_THE_SERVICE, 'any one bit', EVERY_BIT);
holdMalleability(stack, OF_THE_KMS, 'one bit of any byte', ONE_BIT);
