import { closeMonths } from '../../shared/billing/close-month.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';

// Cloud Scheduler calls this function twice in the first hour of a month, then about every hour to retry failures.
serveJob(openServices(openProcess('close-month'), { loadStripe, secrets: ['STRIPE_SECRET_KEY'] }), (services) =>
  closeMonths(services),
);
