import { closeMonths } from '../../shared/billing/close-month.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { startJob } from '../start.ts';

startJob('close-month', closeMonths, { stripe: loadStripe });
