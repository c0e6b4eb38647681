import type { Jobs } from '../../shared/local.ts';

/** The scheduled functions' work, which the local stack has the router do. */
export const JOBS: Jobs = {
  'destroy-due-keys': async (env) => (await import('../../shared/keys/due.ts')).destroyDueKeys(env),
  'close-month': async (env) => (await import('../../shared/billing/close-month.ts')).closeMonths(env),
};
