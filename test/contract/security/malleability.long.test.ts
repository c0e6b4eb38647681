import { ownStack } from '../../support/own-stack.ts';
import { EVERY_BIT, KMS_CIPHERTEXTS, SERVICE_CIPHERTEXTS, testMalleability } from './malleability.ts';

testMalleability(ownStack(), [...SERVICE_CIPHERTEXTS, ...KMS_CIPHERTEXTS], 'any single bit', EVERY_BIT);
