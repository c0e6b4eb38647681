import { closeMonths } from '../../shared/billing/close-month.ts';
import { job } from '../needs.ts';

/** Cloud Scheduler starts this job twice in the first hour of a month, then about every hour to retry failures. */
export const closeMonth = job(['store', 'clock', 'log', 'biller'], (parts) => closeMonths(parts));
