import { holdManyKeys } from './full-tenant.ts';

// More than are read at a time.
holdManyKeys(1_200);
