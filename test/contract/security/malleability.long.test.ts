import { ownStack } from '../../support/own-stack.ts';
import { EVERY_BIT, holdMalleability, OF_THE_KMS } from './malleability.ts';

holdMalleability(ownStack(), OF_THE_KMS, 'any one bit', EVERY_BIT);
