import { testManyKeys } from './full-tenant.ts';

// The maximum number of keys of a tenant.
testManyKeys(10_000);
