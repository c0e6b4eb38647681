import { destroyDueKeys as destroy } from '../../shared/lifecycle/destroy-due-keys.ts';
import { job } from '../needs.ts';

/** Cloud Scheduler starts this job every five minutes. */
export const destroyDueKeys = job(['store', 'clock', 'log', 'kms', 'kmsWrites', 'settle'], (parts) => destroy(parts));
