import { closeMonths } from '../../shared/billing/close-month.ts';
import { startJob } from '../start.ts';

startJob('close-month', closeMonths);
