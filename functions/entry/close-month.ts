import { closeMonths } from '../../shared/billing/close-month.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';

// Scheduled twice after the end of a month, then about once an hour, to repeat what failed.
serveJob(openServices(openProcess('close-month'), { loadStripe, secrets: ['STRIPE_SECRET_KEY'] }), (services) =>
  closeMonths(services),
);
