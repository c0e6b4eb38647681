import { testManyKeys } from './full-tenant.ts';

// 10,000 is the maximum number of keys of a tenant.
testManyKeys(10_000);
