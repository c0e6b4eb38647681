import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { loadKms } from '../../shared/crypto/load-kms.ts';
import { everyRoute } from '../routes.ts';
import { JOBS } from '../scheduled/jobs.ts';
import { startRoutes } from '../start.ts';

startRoutes('router', everyRoute, { load: { kms: loadKms, stripe: loadStripe }, jobs: JOBS });
