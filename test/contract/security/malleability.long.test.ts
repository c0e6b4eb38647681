import { ownStack } from '../../support/own-stack.ts';
import { EVERY_BIT, OF_THE_KMS, OF_THE_SERVICE, testMalleability } from './malleability.ts';

testMalleability(ownStack(), [...OF_THE_SERVICE, ...OF_THE_KMS], 'any single bit', EVERY_BIT);
