import { testManyKeys } from './full-tenant.ts';

// One read from Firestore returns fewer than 1,200 keys.
testManyKeys(1_200);
