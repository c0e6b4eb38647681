import { testManyKeys } from './full-tenant.ts';

// More keys than one read returns.
testManyKeys(1_200);
