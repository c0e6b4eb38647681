import { closeMonth } from './close-month.ts';
import { destroyDueKeys } from './destroy-due-keys.ts';
import { sealAudit } from './seal-audit.ts';

/** Every job, by the name of its function. */
export const JOBS = { 'close-month': closeMonth, 'destroy-due-keys': destroyDueKeys, 'seal-audit': sealAudit };
