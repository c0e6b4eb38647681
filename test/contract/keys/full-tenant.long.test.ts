import { holdManyKeys } from './full-tenant.ts';

// As many as a tenant may have.
holdManyKeys(10_000);
