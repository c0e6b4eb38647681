import { ownStack } from '../../support/own-stack.ts';
import { testLargeMonth } from './large-month.ts';

// The maximum number of keys of a tenant.
testLargeMonth(ownStack(), 10_000);
