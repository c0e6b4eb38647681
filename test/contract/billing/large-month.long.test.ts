import { ownStack } from '../../support/own-stack.ts';
import { holdLargeMonth } from './large-month.ts';

// As many as a tenant may have.
holdLargeMonth(ownStack(), 10_000);
