import { closeMonths } from '../../shared/billing/close-month.ts';
import type { Env } from '../../shared/env.ts';
import { destroyDueKeys } from '../../shared/keys/due.ts';

/** What a run did: counts by what was done. */
export type Summary = Readonly<Record<string, number>>;

/** The functions that a scheduler calls, by the name that they are deployed under. */
export const JOBS: Readonly<Record<string, (env: Env) => Promise<Summary>>> = {
  'destroy-due-keys': async (env) => ({ ...(await destroyDueKeys(env)) }),
  'close-month': async (env) => ({ ...(await closeMonths(env)) }),
};
