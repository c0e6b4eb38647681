import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { STRIPE_SECRETS } from '../../shared/config.ts';
import { billing } from '../billing/routes.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';

serveGroups(openServices(openProcess('billing'), { loadStripe, secrets: STRIPE_SECRETS }), billing);
