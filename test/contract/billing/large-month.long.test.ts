import { ownStack } from '../../support/own-stack.ts';
import { testLargeMonth } from './large-month.ts';

// 10,000 is the maximum number of keys of a tenant.
testLargeMonth(ownStack(), 10_000);
